"""Kernels that other kernels call: translated once, and compiled only as parts of what Python calls.

Numba optimises every function and turns it into machine code, and does so again within each of its callers, up to the
one that Python calls: the deeper the calls, the more often. A part is left as it is translated, and linked into its
callers, so that all of it is optimised and compiled once, there.
"""

# mypy: disable-error-code="no-untyped-call"

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class PartLibrary(JITCodeLibrary):
    """Code for others to link: its own and that of the parts it calls, neither optimised nor compiled."""

    def finalize(self) -> None:
        """Link what is called, and no more."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(library, "_reload_init"):  # what to run when it is loaded again; numba 0.60 has no such thing
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    """Translate a part, and let its callers know where to find it."""

    _name = "lower_part"

    def run_pass(self, state: Any) -> bool:
        """Do as the pass for kernels does, without the machine code."""
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        state.reload_init.extend(getattr(state.library, "_reload_init", ()))
        result = state["cr"]
        # callers know a function by its Python object: this one has no machine code behind it, and nobody may call it
        handle = _dynfunc.make_function(
            result.fndesc.lookup_module(), result.fndesc.qualname, "a part of kernels", 0, result.env, ()
        )
        state.targetctx.insert_user_function(handle, result.fndesc, [state.library])
        state["cr"] = result._replace(cfunc=handle)
        return True


class PartCompiler(CompilerBase):
    """Numba's compiler up to the translation of a function, without making machine code of it."""

    def define_pipelines(self) -> list[Any]:
        """Numba's own passes, with another last step."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(LowerPart if step is NativeLowering else step, why) for step, why in manager.passes]
        manager.finalize()
        return [manager]
