"""Studies turn tables into findings. The class `Study`: `kit.study`; the list of studies: `registry`."""
