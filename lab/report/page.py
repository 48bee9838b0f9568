"""A report as a page: runs a notebook on stored results, and writes it as one file that needs no network.

The notebook is `notebooks/STUDY.ipynb`, else `notebooks/GAME.ipynb`, else the one that lies beside this file and works
for any game. It runs in a process of its own, in its own folder, and finds the results by `lab.results.folder`. This
module loads nothing heavy before it is called.
"""

import json
import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.errors import BadInput, unknown

if TYPE_CHECKING:
    from lab.results import Results

FORMATS = ("html", "ipynb")
EXTRA = ("pandas", "matplotlib", "nbclient", "nbconvert", "ipykernel")
"""What the extra `reports` brings, and a report cannot do without."""
HERE = Path(__file__).parent
GENERAL = HERE / "general.ipynb"
STUDY = "STUDY"
"""What stands in the general notebook for the name of the study."""
CAPTION = "caption"
"""Marks the output that belongs to the picture or the table before it."""


class NotForThese(BadInput):
    """A notebook asks for what these results do not have."""


def needs(r: "Results", *parts: str) -> None:
    """For a notebook: stop if the study lacks one of these parts. `lab report` then takes a more general notebook."""
    if missing := [part for part in parts if part not in r.parts]:
        raise NotForThese(f"asks for the parts {', '.join(parts)}; {r.name} lacks {', '.join(missing)}")


def report(source: str | Path, *, format: str = "html", out: str | Path | None = None) -> Path:
    """Run the notebook of a study on its stored results, and write a page (or the notebook with its outputs).

    source: a folder that `lab sweep` wrote, or a study's YAML file whose results are there. out: the file to write;
    by default `report.html` (or `report.ipynb`) in the folder of the results. Returns the file.

    Errors: `BadInput`, one line, if there are no such results, or the notebook stops.
    """
    if format not in FORMATS:
        raise BadInput(unknown("a format of reports", format, FORMATS))
    _need_extra()
    folder = results_of(Path(source))
    manifest = _manifest(folder)
    notebook, said = _run_first_that_fits(folder, manifest)
    path = Path(out) if out is not None else folder / f"report.{format}"
    text = _as_page(notebook, manifest, said) if format == "html" else _as_notebook(notebook)
    _write(path, text)
    return path


def _need_extra() -> None:
    if missing := [name for name in EXTRA if find_spec(name) is None]:
        raise BadInput(
            f"reports need the extra of that name, and {missing[0]} is missing: pip install 'balance-lab[reports]'"
        )


# Which results


def results_of(source: Path) -> Path:
    """The folder of a finished study."""
    if source.suffix in (".yaml", ".yml") and not source.is_dir():
        return _of_study(source)
    folder = source.parent if source.name == "cells.parquet" else source
    if not (folder / "cells.parquet").is_file() or not (folder / "study.json").is_file():
        raise BadInput(
            f"{source}: no results there (a folder with cells.parquet and study.json, as `lab sweep` writes it)"
        )
    return folder


def _of_study(path: Path) -> Path:
    from lab.identity import cell_id
    from lab.results import root
    from lab.store import read_cells
    from lab.study import read_study

    study = read_study(path)
    folder = root() / study.name
    if not (folder / "cells.parquet").is_file() or not (folder / "study.json").is_file():
        raise BadInput(f"{folder}: no results of {path} yet; run `lab sweep {path}` first")
    there = {row["cell"] for row in read_cells(folder)}
    asked = (folder / "asks.parquet").is_file()  # which plays what it needs
    if not asked and (missing := sum(cell_id(cell) not in there for cell in study.cells)):
        raise BadInput(
            f"{folder}: {missing} of the {len(study.cells)} cells of {path} are missing; run `lab sweep {path}` first"
        )
    return folder


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "study.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {"name": str(found["name"]), "question": str(found["question"]), "games": list(found["code"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is not a manifest as `lab sweep` writes it") from error


# Which notebook, and its run


def _run_first_that_fits(folder: Path, manifest: dict[str, Any]) -> tuple[Any, str]:
    """The notebook with its outputs, and where it is from."""
    import nbformat

    refused = ""
    for path in _notebooks(manifest):
        try:
            notebook = nbformat.read(path, as_version=4)
        except Exception as error:
            raise BadInput(f"{path} is not a notebook: {' '.join(str(error).split())[:120]}") from error
        if path == GENERAL:
            _fill_in(notebook, manifest["name"])
        try:
            _run(notebook, path, folder)
        except NotForThese as error:
            refused += f"; {path} {error}"
            continue
        return notebook, ("the lab's general notebook" if path == GENERAL else str(path)) + refused
    raise AssertionError("the general notebook fits all results")


def _notebooks(manifest: dict[str, Any]) -> Iterator[Path]:
    games = manifest["games"] if len(manifest["games"]) == 1 else []
    for name in dict.fromkeys([manifest["name"], *games]):
        if (path := Path("notebooks") / f"{name}.ipynb").is_file():
            yield path
    yield GENERAL


def _fill_in(notebook: Any, name: str) -> None:
    for cell in notebook.cells:
        cell.source = cell.source.replace(json.dumps(STUDY), json.dumps(name))


def _run(notebook: Any, path: Path, folder: Path) -> None:
    """Execute a notebook where it lies, by this very Python."""
    from jupyter_client.kernelspec import KernelSpecManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, DeadKernelError

    where = Path.cwd() if path == GENERAL else path.parent
    client = NotebookClient(
        notebook, timeout=None, extra_arguments=["--log-level=40"], resources={"metadata": {"path": str(where)}}
    )
    client.km = client.create_kernel_manager()
    client.km.kernel_spec_manager = KernelSpecManager(kernel_dirs=[])  # none is installed: it is this Python's own
    try:
        client.execute(env=_environment(folder))
    except CellExecutionError as error:
        if error.ename == NotForThese.__name__:
            raise NotForThese(error.evalue) from None
        stopped = f"{path.name} stopped" if path == GENERAL else f"{path} stopped"
        reason = error.evalue if error.ename == BadInput.__name__ else f"{error.ename}: {error.evalue}"
        raise BadInput(f"{stopped}: {' '.join(reason.split())[:300]}") from error
    except DeadKernelError as error:
        raise BadInput(f"{path} stopped: its process died") from error
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of the clock


def _environment(folder: Path) -> dict[str, str]:
    """That of the process that runs the notebook: it finds the results, and this very lab."""
    from lab.results import REPORTED

    home = str(HERE.parents[1])
    paths = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), home]
    told = {REPORTED: str(folder.resolve()), "PYTHONPATH": os.pathsep.join(paths)}
    if others := os.environ.get("LAB_RESULTS"):
        told["LAB_RESULTS"] = str(Path(others).resolve())
    return os.environ | told | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}


# Out


def _as_notebook(notebook: Any) -> str:
    import nbformat

    return str(nbformat.writes(notebook)) + "\n"


def _as_page(notebook: Any, manifest: dict[str, Any], said: str) -> str:
    from nbconvert import HTMLExporter

    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = _captioned(cell.outputs)
    home = HERE / "templates"
    exporter = HTMLExporter(template_name="page", extra_template_basedirs=[str(home)], anchor_link_text="")
    css = (home / "page" / "page.css").read_text(encoding="utf-8")
    more = {"page": {"title": manifest["question"] or manifest["name"], "css": css, "said": said}}
    page, _ = exporter.from_notebook_node(notebook, resources=more)
    return _with_contents(str(page))


def _captioned(outputs: list[Any]) -> list[Any]:
    """Each caption becomes part of the picture or table before it."""
    found: list[Any] = []
    for output in outputs:
        if output.get("metadata", {}).get("lab") == CAPTION and found:
            found[-1].metadata["caption"] = output.data["text/markdown"]
        else:
            found.append(output)
    return found


def _with_contents(page: str) -> str:
    """Put a list of the sections before the second one: the first is the answer."""
    page = re.sub(r'<a class="anchor-link"[^>]*></a>', "", page)
    heads = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', page, re.DOTALL)
    items = "".join(f'<li><a href="#{name}">{re.sub("<[^>]*>", "", text)}</a></li>' for name, text in heads)
    nav = f'<nav aria-label="Contents"><ul>{items}</ul></nav>\n' if len(heads) > 2 else ""
    first, second, rest = page.partition(f'<h2 id="{heads[1][0]}">') if nav else (page, "", "")
    return first + nav + second + rest


def _write(path: Path, text: str) -> None:
    from lab.store import write_atomically

    def write(hidden: Path) -> None:
        hidden.write_text(text, encoding="utf-8")

    try:
        write_atomically(path, write)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror or error})") from error
