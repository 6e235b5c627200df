"""mkdocs' hook: files beside docs/ that pages link to are copied into the site, so that each link leads somewhere."""
import re
import shutil
from pathlib import Path

LINK = re.compile(r'\[([^\]]+)\]\(\.\./([^)#\s]+)(?:#[^)]*)?\)')
FOLDER = 'repository'                             # of the site, for copies
wanted = set()


def on_page_markdown(markdown, page, config, files):
    """A link out of docs/ becomes one, in HTML, to the copy; mkdocs itself knows pages alone."""
    def copied(match):
        root = Path(config['config_file_path']).parent
        if not (root / match.group(2)).is_file():
            raise FileNotFoundError(f'{page.file.src_path}: {match.group(2)} is not in the repository')
        wanted.add(match.group(2))
        return f'<a href="{FOLDER}/{match.group(2)}.txt">{match.group(1)}</a>'
    return LINK.sub(copied, markdown)


def on_post_build(config):
    root, site = Path(config['config_file_path']).parent, Path(config['site_dir'])
    for name in sorted(wanted):
        to = site / FOLDER / f'{name}.txt'
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, to)
