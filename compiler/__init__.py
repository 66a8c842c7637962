"""The model compiler: a typed functional language with unknown dimensions, its operators, type inference and passes."""
