"""Studies turn tables into findings. What a study is: `study`; which there are: `registry`."""
