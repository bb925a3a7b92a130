"""Objects of several kinds: a field that says which, and what each kind holds beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from marshmallow import ValidationError

Names = tuple[str, ...]


@dataclass(frozen=True)
class Kinds:
    """What the kinds hold. `tag`: the field that names the kind.

    `needs`: each kind's required fields; `may_have`: those that it may leave out. A field that
    no kind names goes with any.
    """

    tag: str
    needs: Mapping[str, Names]
    may_have: Mapping[str, Names]

    def allowed(self, kind: str) -> Names:
        return (*self.needs[kind], *self.may_have.get(kind, ()))

    @property
    def named(self) -> Names:
        return tuple(dict.fromkeys(name for kind in self.needs for name in self.allowed(kind)))

    def rules(self) -> dict[str, Any]:
        """JSON Schema's words for it."""
        return {"oneOf": [self._rule(kind) for kind in self.needs]}

    def _rule(self, kind: str) -> dict[str, Any]:
        others = [{"required": [name]} for name in self.named if name not in self.allowed(kind)]
        return {
            "title": kind,
            "properties": {self.tag: {"const": kind}},
            "required": [self.tag, *self.needs[kind]],
            "not": {"anyOf": others},
        }

    def refuse_misfit(self, data: Iterable[str], kind: str) -> None:
        """Raise `ValidationError` for a field that the kind lacks, or that it cannot have."""
        for name in self.needs[kind]:
            if name not in data:
                raise ValidationError(f"{kind} needs {name}.", name)
        for name in data:
            if name in self.named and name not in self.allowed(kind):
                raise ValidationError(f"{kind} has no {name}.", name)
