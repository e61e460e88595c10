"""Word lists: what is known of words beyond their letters."""

from __future__ import annotations

from typing import Final

# English articles, prepositions, pronouns, auxiliaries, conjunctions, counts, connectives.
_FUNCTION_WORDS = """
a an the this that these those some any each every either neither both all no such another one
two three four five six seven eight nine ten first second third many most more much few several
other others same own of in on at by for from with without within to into onto upon over under
above below between among through during before after since until till about against across
along around behind beside besides beyond despite except inside near off out outside past per
than toward towards via like unlike up down throughout following including according due because
and or but nor so yet if then else when whenever where wherever while whereas whether although
though unless as once how why what which who whom whose i you he she it we they me him her us
them my your his its our their mine yours hers ours theirs myself yourself himself herself
itself ourselves themselves there here is am are was were be been being has have had having do
does did doing done can could may might must shall should will would not n't also only just very
too even still already again ever never however therefore thus hence moreover furthermore
meanwhile nevertheless instead otherwise indeed perhaps maybe often sometimes usually later
earlier now today currently recently originally initially eventually finally additionally
similarly generally typically s t d ll re ve m
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())

# Small words between two parts of a name.
_LINKS = """
of the for de del della di da do dos das la las le les los du des van von der den zu zur el al
bin ibn y e en och og
"""
LINKS: Final = frozenset(_LINKS.split())

# Months and their short forms.
_MONTHS = """
january february march april may june july august september october november december jan feb
mar apr jun jul aug sept sep oct nov dec
"""
MONTHS: Final = frozenset(_MONTHS.split())

# Abbreviations with a full stop after them.
_STOPPED = """
mr mrs ms dr prof st mt ft gen col lt sgt capt rev gov sen rep hon jr sr no vs inc co corp ltd
"""
STOPPED: Final = frozenset(_STOPPED.split())

# Korean pronouns, determiners, adverbs, conjunctions, bound nouns.
_KOREAN_FUNCTION_WORDS = """
그 이 저 그것 이것 저것 그는 그가 그녀 그녀는 우리 저희 너 나 나는 내가 제가 자신 자기
이날 그날 오늘 어제 내일 당시 현재 최근 지난 이번 다음 올해 지난해 작년 내년 이후 이전
이상 이하 이내 때 때문 경우 것 수 등 및 또 또는 또한 그리고 그러나 하지만 그래서 따라서
즉 다만 특히 이미 아직 더 가장 매우 아주 너무 모두 모든 각 여러 다른 어떤 이런 그런
저런 이같은 같은 대한 대해 대해서 위한 위해 위해서 통한 통해 통해서 따른 따라 따르면 관한
관련 의한 의해 인한 인해 함께 아니라 아닌 있다 없다 한다 했다 된다 됐다 이다 하나 둘 셋
한 두 세 네 첫 첫째 둘째 셋째 처음 마지막 가운데 동안 사이 먼저 이어 결국 바로 다시
계속 약 여기 거기 저기 어디 누구 무엇 언제 왜 어떻게 만약 비록 물론 아마 정도 이렇게
그렇게 그대로 스스로 서로 대로 뿐 채 측 중 간 전 후
"""
KOREAN_FUNCTION_WORDS: Final = frozenset(_KOREAN_FUNCTION_WORDS.split())
