"""Which files and folders of a crate need which, by imports and by paths in code.

A re-export is followed to the file that defines the thing. A path that restricts visibility, as in `pub(in crate::scan)`, needs nothing.
"""
import re

WORD = re.compile(r"[A-Za-z_]\w*")


def tree(tokens, at, prefix):
    """The paths of the `use` tree at `at`, with the name that each has here. -> them, and the index after the tree"""
    path, found, name = list(prefix), [], None
    while at < len(tokens):
        text = tokens[at].text
        if text == "{":
            at += 1
            while tokens[at].text != "}":
                more, at = tree(tokens, at, path)
                found += more
                at += tokens[at].text == ","
            return found, at + 1
        if text == "as":
            name = tokens[at + 1].text
            at += 1
        elif WORD.fullmatch(text) or text == "*":
            path.append(text)
        elif text != "::":
            break
        at += 1
    if path[-1] == "self":
        path.pop()
    return [(name or path[-1], path)], at


def read(source):
    """-> the imports of a file by their local names, and all paths that it needs"""
    uses, needs, at, tokens = {}, [], 0, source.tokens
    while at < len(tokens):
        text = tokens[at].text
        # `use<'a>` in a type captures a lifetime.
        if text == "use" and tokens[at + 1].text != "<":
            is_public = at and tokens[at - 1].text in ("pub", ")")
            found, at = tree(tokens, at + 1, [])
            uses.update(found)
            # What is only passed on is needed by whoever names it.
            needs += [] if is_public else [path for _, path in found]
        elif WORD.fullmatch(text) and at + 1 < len(tokens) and tokens[at + 1].text == "::":
            is_visibility = at and tokens[at - 1].text == "in" and tokens[at - 2].text == "("
            path = [text]
            while at + 2 < len(tokens) and tokens[at + 1].text == "::" and WORD.fullmatch(tokens[at + 2].text):
                at += 2
                path.append(tokens[at].text)
            needs += [] if is_visibility else [path]
            at += 1
        else:
            at += 1
    return uses, needs


class Needs:
    def __init__(self, crate):
        self.modules = set(crate.sources)
        self.parents = {module[:-1] for module in self.modules if module}
        files = {module: read(source) for module, source in crate.sources.items()}
        self.uses = {module: uses for module, (uses, _) in files.items()}
        self.needs = {(module, other) for module, (_, needs) in files.items() for path in needs for other in [self.definer(module, path)] if other is not None}

    def folder(self, module):
        """A file with children belongs to their folder."""
        return module if module in self.parents else module[:-1]

    def definer(self, module, path, depth=0):
        """The module that defines what a path written in `module` names; None for other crates and local names."""
        at, is_known = module, False
        for index, word in enumerate(path):
            if word == "crate":
                at = ()
            elif word == "super":
                at = at[:-1]
            elif word != "self" and (*at, word) in self.modules:
                at = (*at, word)
            elif word != "self":
                target = self.uses[at].get(word) if depth < 8 else None
                if target and target != path:
                    return self.definer(at, [*target, *path[index + 1 :]], depth + 1)
                return at if is_known else None
            is_known = True
        return at

    def circles_of_files(self):
        """Files that reach each other, largest sets. A file puts the files below it together, which does not count as a need."""
        graph = {}
        for one, other in self.needs:
            if other[: len(one)] != one:
                graph.setdefault(one, set()).add(other)
        return groups(graph)

    def circles_of_folders(self):
        """Folders of one parent that reach each other, largest sets."""
        graphs = {}
        for one, other in ((self.folder(one), self.folder(other)) for one, other in self.needs):
            common = next((length for length, (a, b) in enumerate(zip(one, other)) if a != b), None)
            if common is not None:
                graphs.setdefault(one[:common], {}).setdefault(one[common], set()).add(other[common])
        return [[(*parent, name) for name in group] for parent, graph in sorted(graphs.items()) for group in groups(graph)]


def reached(graph, start):
    seen, open_nodes = set(), [start]
    while open_nodes:
        for other in graph.get(open_nodes.pop(), ()):
            if other not in seen:
                seen.add(other)
                open_nodes.append(other)
    return seen


def groups(graph):
    reach = {node: reached(graph, node) for node in graph}
    found = {tuple(sorted({other for other in reach[node] if node in reach.get(other, ())})) for node in graph if node in reach[node]}
    return sorted(group for group in found if len(group) > 1)
