"""16-bit floats as models bring them: computed in float32, weights and caches kept and moved in 16 bits."""
