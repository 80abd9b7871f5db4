"""What classes and functions are called in sixteen languages: the names above the place that `@` marks."""

from __future__ import annotations

import pytest

pytest.importorskip("tree_sitter")

from caesura_documents.source_code import Code

CASES = [
    ("bash", "function a::b {\n  echo @\n}\n", "a > b"),
    ("c", "static int *rise(int a)\n{\n  return @;\n}\n", "rise"),
    ("c", "typedef struct {\n  int x; /* @ */\n} tide_t;\n", "tide_t"),
    ("c", "typedef struct tide {\n  int x; /* @ */\n} tide_t;\n", "tide"),
    ("c", "struct tide a(void);\nenum kind {\n  LOW, /* @ */\n};\n", "kind"),
    ("c", "#define RISE(x) do { \\\n  x += '@'; \\\n} while (0)\n", "RISE"),
    ("c_sharp", "namespace A.B;\nclass C {\n  C() {\n    // @\n  }\n}\n", "A.B > C > C"),
    ("c_sharp", "namespace A {\n  record R {\n    int X {\n      get { return 1; } // @\n    }\n  }\n}\n", "A > R > X"),
    ("c_sharp", "struct S {\n  void F() {\n    int G() {\n      return 1; // @\n    }\n  }\n}\n", "S > F > G"),
    ("cpp", "int n::Tide<T>::rise(int x) {\n  return 1; // @\n}\n", "n > Tide > rise"),
    ("cpp", "namespace a::b {\nTide::~Tide() {\n  // @\n}\n}\n", "a > b > Tide > ~Tide"),
    ("cpp", "Tide::operator bool() const {\n  return 1; // @\n}\n", "Tide > operator bool"),
    ("cpp", "template <class T>\nT &at(int i) {\n  return 1; // @\n}\n", "at"),
    ("cpp", "class TIDE_API Tide final : public Sea {\n  int a() {\n    return 1; // @\n  }\n};\n", "Tide > a"),
    ("cpp", "class FOO final {\n  int a() {\n    return 1; // @\n  }\n};\n", "FOO > a"),
    ("cpp", "namespace {\nextern \"C\" {\nint f() {\n  return 1; // @\n}\n}\n}\n", "f"),
    ("go", "func (t *Tide[K, V]) Rise() int {\n\treturn 1 // @\n}\n", "Tide > Rise"),
    ("go", "func (Tide) Fall() {\n\t// @\n}\n", "Tide > Fall"),
    ("go", "type Sea interface {\n\tRise() // @\n}\n", "Sea"),
    ("java", "class A {\n  enum B {\n    X;\n    int f() {\n      return 1; // @\n    }\n  }\n}\n", "A > B > f"),
    ("java", "record P(int x) {\n  P {\n    // @\n  }\n}\n", "P > P"),
    ("java", "@interface Old {\n  int x(); // @\n}\n", "Old"),
    ("javascript", "exports.rise = function (a) {\n  return a; // @\n};\n", "rise"),
    ("javascript", "Tide.prototype.rise = async () => {\n  return 1; // @\n};\n", "Tide > rise"),
    ("javascript", "export const Tide = memo(forwardRef(() => {\n  return 1; // @\n}));\n", "Tide"),
    ("javascript", "const a = [1].map((b) => {\n  return b; // @\n});\n", ""),
    ("javascript", "export default {\n  methods: {\n    rise() {\n      // @\n    },\n  },\n};\n", "rise"),
    ("javascript", "class A {\n  #rise = () => {\n    // @\n  };\n}\n", "A > rise"),
    ("javascript", "var a = { 'on-tide': function () {\n  // @\n} };\n", "on-tide"),
    ("kotlin", "object Sea {\n  fun rise() {\n    // @\n  }\n}\n", "Sea > rise"),
    ("kotlin", "class A {\n  companion object {\n    fun of() {\n      // @\n    }\n  }\n}\n", "A > Companion > of"),
    ("kotlin", "class A {\n  constructor(x: Int) {\n    // @\n  }\n}\n", "A > constructor"),
    ("php", "<?php\nnamespace A\\B;\nclass C {\n  function f() {\n    // @\n  }\n}\n", "A\\B > C > f"),
    ("php", "<?php\nnamespace A;\nf();\nnamespace B;\ntrait T {\n  // @\n}\n", "B > T"),
    ("php", "<?php\nnamespace A {\n  $f = function () {\n    // @\n  };\n}\n", "A > f"),
    ("python", "class A:\n  @old\n  async def f(self):\n    def g():\n      return 1  # @\n", "A > f > g"),
    ("ruby", "module A\n  class B::C\n    def self.rise\n      # @\n    end\n  end\nend\n", "A > B > C > rise"),
    ("ruby", "class A\n  class << self\n    def rise?\n      # @\n    end\n  end\nend\n", "A > rise?"),
    ("rust", "impl<'a, T> fmt::Display for Tide<'a, T> {\n  fn fmt(&self) {\n    // @\n  }\n}\n",
     "fmt::Display for Tide > fmt"),
    ("rust", "mod sea {\n  impl Tide {\n    fn rise() {\n      // @\n    }\n  }\n}\n", "sea > Tide > rise"),
    ("rust", "macro_rules! rise {\n  () => {} // @\n}\n", "rise"),
    ("scala", "object A {\n  given ord: Ordering[Int] with {\n    def compare() = {\n      1 // @\n    }\n  }\n}\n",
     "A > ord > compare"),
    ("scala", "trait T:\n  def f(x: Int): Int =\n    // @\n    x\n", "T > f"),
    ("swift", "extension Tide: Sea {\n  func rise() {\n    // @\n  }\n}\n", "Tide > rise"),
    ("swift", "struct A: View {\n  var body: some View {\n    B() // @\n  }\n}\n", "A > body"),
    ("swift", "class A {\n  init() {\n    let a = [\n      1, // @\n    ]\n  }\n}\n", "A > init"),
    ("tsx", "export const Tide: FC<P> = ({ x }) => {\n  return <b>{x /* @ */}</b>;\n};\n", "Tide"),
    ("typescript", "abstract class A {\n  get x(): number {\n    return 1; // @\n  }\n}\n", "A > x"),
    ("typescript", "declare module 'sea' {\n  type Tide = {\n    a: string; // @\n  };\n}\n", "sea > Tide"),
    ("typescript", "class A {\n  private rise = useCallback(async () => {\n    // @\n  });\n}\n", "A > rise"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "path"), CASES, ids=[f"{each[0]}: {each[2]}" for each in CASES])
def test_a_place_stands_below_the_names_around_it(language: str, text: str, path: str) -> None:
    found = Code(language).outline(text)
    at = text.rindex("@")
    assert " > ".join(found.path(text, at, at + 1).titles) == path
    assert found.path(text, len(text), len(text)).titles in ((), ("A\\B",), ("B",), ("A.B",))


@pytest.mark.parametrize("depth", [40, 3000])
def test_what_is_nested_too_deep_has_no_heading(depth: int) -> None:
    text = "".join(f"function f{at}() {{\n" for at in range(depth)) + "x;\n" + "}\n" * depth
    titles = Code("javascript").outline(text).path(text, text.index("x;"), len(text)).titles
    assert len(titles) <= 32


def test_a_name_has_a_bounded_number_of_parts() -> None:
    text = "A::" * 50 + "f() {\n  return 1;\n}\n"
    titles = Code("cpp").outline(text).path(text, text.index("return"), len(text)).titles
    assert titles == ("A",) * 7 + ("f",)
