"""16-bit floats as models bring them: computed in float32, and weights kept in 16 bits where these hold them."""
