"""transformers' generate through torch.compile(backend="anytile"): the tokens that torch makes, with either cache."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'anytile[torch]'")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")

from anytile.importers.torch import dynamo  # noqa: E402  # behind the lines that skip

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_llama_generates(cache: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    new = dynamo.Programs._new
    monkeypatch.setattr(dynamo.Programs, "_new", lambda *given: made.append(new(*given)) or made[-1])
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=64,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=1,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=64,
            bos_token_id=1,
            eos_token_id=None,
            pad_token_id=0,
        )
    ).eval()
    ids = torch.tensor([[1, 5, 9, 3], [1, 7, 7, 2]])
    settings: dict[str, Any] = {"max_new_tokens": 6, "do_sample": False, "attention_mask": torch.ones_like(ids)}
    if cache == "static":
        settings["cache_implementation"] = "static"
    with torch.inference_mode():
        wanted = model.generate(ids, **settings)
        model.forward = torch.compile(model.forward, backend="anytile", dynamic=True)
        assert torch.equal(model.generate(ids, **settings), wanted)
        programs = len(made)
        assert torch.equal(model.generate(ids, **settings), wanted)
    assert programs == len(made) == 2  # one for the prompt, one for each further token
    assert "torch itself runs" not in capfd.readouterr().err
