"""What the processor needs: sums that come out alike, and a llama.cpp that runs."""

import pytest

from biasprint.core.machine import processor
from biasprint.core.machine.processor import for_compilers, keep_sums_alike

SAPPHIRE_RAPIDS = frozenset({"GenuineIntel", "avx2", "avx512bw", "amx_tile"})
HASWELL = frozenset({"GenuineIntel", "avx2"})
EPYC = frozenset({"AuthenticAMD", "avx2", "avx512bw"})


@pytest.mark.parametrize(
    ("found", "mode"),
    [(SAPPHIRE_RAPIDS, "AVX512,STRICT"), (HASWELL, "AVX2,STRICT"), (EPYC, None), (frozenset(), None)],
)
def test_only_intels_own_processors_get_the_strict_mode(found: frozenset[str], mode: str | None) -> None:
    environment: dict[str, str] = {}
    keep_sums_alike(environment, found)
    assert environment.get("MKL_CBWR") == mode


def test_a_mode_that_a_person_has_set_stays() -> None:
    environment = {"MKL_CBWR": "COMPATIBLE"}
    keep_sums_alike(environment, SAPPHIRE_RAPIDS)
    assert environment == {"MKL_CBWR": "COMPATIBLE"}


def test_llama_cpp_is_compiled_without_what_virtual_machines_only_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor.platform, "system", lambda: "Linux")
    options = for_compilers({}, SAPPHIRE_RAPIDS)["CMAKE_ARGS"].split()
    assert "-DGGML_NATIVE=OFF" in options
    assert not any("AMX" in one for one in options)
    assert for_compilers({}, EPYC) == {} == for_compilers({"CMAKE_ARGS": "-DGGML_CUDA=ON"}, SAPPHIRE_RAPIDS)


def test_the_features_are_those_that_the_system_lists(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    listed = tmp_path / "cpuinfo"
    listed.write_text("vendor_id\t: GenuineIntel\nflags\t\t: sse avx2\n\nflags\t\t: amx_tile\n")
    monkeypatch.setattr(processor, "_CPU_INFO", listed)
    assert processor.features.__wrapped__() == {"GenuineIntel", "sse", "avx2"}
    listed.unlink()
    assert processor.features.__wrapped__() == frozenset()
