"""`check_cut` passes what keeps the laws, and says of each broken cut which law it breaks, for which units, and why."""

from __future__ import annotations

import re

import pytest
from broken.cuts import BROKEN, IDS, SOUND, everywhere

from caesura import ClusterCut, OptimalCut
from caesura.types import Cut
from caesura_testing import check_cut
from caesura_testing.units import sample_units


@pytest.mark.thorough
@pytest.mark.parametrize("cut", [SOUND, OptimalCut(), ClusterCut()], ids=lambda cut: type(cut).__name__)
def test_a_sound_cut_passes(cut: Cut) -> None:
    check_cut(cut)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
@pytest.mark.parametrize(("cut", "said"), BROKEN, ids=IDS)
def test_a_broken_cut_is_caught(cut: Cut, said: str) -> None:
    with pytest.raises(AssertionError, match=said) as caught:
        check_cut(cut)
    assert re.search(r"\n  given:  .+\n  found:  .+\n  remedy: .+", str(caught.value))


def test_the_wish_for_a_least_size_need_not_be_held() -> None:
    check_cut(everywhere, joined=False)


def test_documents_are_the_same_every_time() -> None:
    one, two = sample_units(), sample_units()
    assert [str(document) for document in one] == [str(document) for document in two]
    assert all(a.vectors.tobytes() == b.vectors.tobytes() for a, b in zip(one, two, strict=True))
    assert {0, 1, 2, 200} <= {len(document.sizes) for document in one}
