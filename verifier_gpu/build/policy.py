"""What a submission may not ask of a compiler.

Builds are untrusted: flags can load plugins, and directives can read any file
into the binary. Flags are an allow-list; directives that reach outside the
build's directory are refused before any compiler starts.
"""

from __future__ import annotations

import re

from verifier_gpu.build.request import BuildRequest

_FLAGS = (
    r"-O[0-3sg]?|-Ofast|-g[0-3]?|-G?|-w",
    r"-std=(c|gnu)\+\+(11|14|17|20|2a)",
    r"-D[A-Za-z_]\w*(=[\w.+\-]*)?",
    r"-U[A-Za-z_]\w*",
    r"--?use_fast_math|--?ftz=(true|false)|--?prec-(div|sqrt)=(true|false)|--?fmad=(true|false)",
    r"-f(fast-math|no-math-errno|unroll-loops|no-trapping-math|PIC|openmp|permissive)",
    r"-W(all|extra|no-[a-z-]+)",
    r"--?expt-(relaxed-constexpr|extended-lambda)|--?extended-lambda",
    r"--?maxrregcount[= ]?\d+|--?restrict",
    r"-lineinfo|--?generate-line-info|--?extra-device-vectorization",
    r"-m(arch=native|tune=native|avx2?|fma|sse4\.2)|--?split-compile=\d+|--?threads[= ]?\d+|-t\d*",
    r"-Xptxas=?(-v|-O[0-3]|-dlcm=c[ag]|--verbose|--allow-expensive-optimizations=true)",
    r"-Xcompiler=?(-fPIC|-O[0-3]|-w|-Wall)",
    r"-(gencode=?)?arch=(compute|sm)_\d+a?(,code=\[?(compute|sm)_\d+a?(,(compute|sm)_\d+a?)*\]?)?",
    r"-gencode=?arch=(compute|sm)_\d+a?,code=\[?(compute|sm)_\d+a?(,(compute|sm)_\d+a?)*\]?",
)
_FLAG = re.compile("|".join(f"(?:{pattern})" for pattern in _FLAGS))
_LIBRARIES = re.compile(
    r"-l(cublas|cublasLt|cudart|cuda|curand|cusparse|cusolver|cufft|cudnn|m|stdc\+\+|pthread)"
)
# Flags of two words, joined before they are checked.
_TAKES_A_WORD = {"-Xptxas", "-Xcompiler", "-gencode", "-maxrregcount", "--maxrregcount", "-t"}

_DIRECTIVE = re.compile(
    r"^[ \t]*(?:#|%:|\?\?=)[ \t]*(include|include_next|import|embed)\b[ \t]*(.*)", re.MULTILINE
)
_SPLICED = re.compile(r"\\[ \t]*\r?\n")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_INCBIN = re.compile(r"\.\s*incbin|__has_embed|\basm\b[^;]*\.\s*include\b")
_RESERVED = re.compile(r"\b(?:leap_\w+|LEAP_\w+|leap\s*::)")
_HAS_INCLUDE = re.compile(r"__has_include\s*\(\s*[<\"](/|[^>\"]*\.\./)")


class Forbidden(Exception):
    """The request asks for something that no build may do; the message says what."""


def check(request: BuildRequest) -> None:
    """Raises Forbidden for the first flag or directive that is not allowed."""
    for option, flags in (
        ("extra_cuda_cflags", request.extra_cuda_cflags),
        ("extra_cflags", request.extra_cflags),
    ):
        for flag in join_words(flags):
            if not _FLAG.fullmatch(flag):
                raise Forbidden(f"the compiler flag {flag!r} in {option} is not allowed")
    for flag in join_words(request.extra_ldflags):
        if not _LIBRARIES.fullmatch(flag):
            raise Forbidden(f"the linker flag {flag!r} in extra_ldflags is not allowed")
    if not re.fullmatch(r"sm_\d{2,3}a?", request.architecture):
        raise Forbidden(f"{request.architecture!r} is not a GPU architecture such as 'sm_90'")
    for source in request.sources:
        _check_text(source.name, source.text)


def join_words(flags: tuple[str, ...]) -> list[str]:
    """The flags, split at spaces as torch's build does (blank ones vanish), with
    "-Xptxas -v" and the like as one "-Xptxas=-v"."""
    joined: list[str] = []
    words = iter([word for flag in flags for word in flag.split()])
    for flag in words:
        following = next(words, None) if flag in _TAKES_A_WORD else None
        joined.append(flag if following is None else f"{flag}={following}")
    return joined


def _check_text(name: str, text: str) -> None:
    if "\0" in text:
        raise Forbidden(f"{name} holds a NUL byte")
    plain = _COMMENT.sub(" ", _SPLICED.sub("", text))
    for directive in _DIRECTIVE.finditer(plain):
        argument = directive[2].strip()
        if directive[1] == "embed":
            raise Forbidden(f"{name}: #embed is not allowed")
        path = argument.strip('<">')
        if not argument.startswith(("<", '"')):
            raise Forbidden(f"{name}: #include {argument[:60]} must name its header literally")
        if path.startswith("/") or ".." in path.split(">")[0].split('"')[0].split("/"):
            raise Forbidden(f"{name}: #include {argument[:80]} leaves the build's directory")
    if _INCBIN.search(plain) or _INCBIN.search(plain.replace('" "', "").replace('""', "")):
        raise Forbidden(f"{name}: reading files into the binary (.incbin) is not allowed")
    reserved = _RESERVED.search(plain)
    if reserved:
        raise Forbidden(f"{name}: {reserved[0]!r} is a name of the verifier's own")
    if _HAS_INCLUDE.search(plain):
        raise Forbidden(f"{name}: __has_include of a path outside the build is not allowed")
