"""Products: operators that multiply and add up, from dense layers to the cells of recurrent networks."""
