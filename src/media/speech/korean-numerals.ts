/** Sino-Korean numerals as Chinese characters. */
const sinoKorean: Readonly<Record<string, string>> = {
  ...{ 영: '〇', 공: '〇', 일: '一', 이: '二', 삼: '三', 사: '四', 오: '五', 육: '六', 륙: '六', 칠: '七' },
  ...{ 팔: '八', 구: '九', 십: '十', 백: '百', 천: '千', 만: '万', 억: '億', 조: '兆', 점: '点' },
}

/** Native tens and ones; short forms before a counter are words of their own meaning. */
const nativeTens: Readonly<Record<string, string>> = {
  ...{ 열: '十', 스물: '二十', 스무: '二十', 서른: '三十', 마흔: '四十', 쉰: '五十' },
  ...{ 예순: '六十', 일흔: '七十', 여든: '八十', 아흔: '九十' },
}
const nativeOnes: Readonly<Record<string, string>> = {
  ...{ 하나: '一', 둘: '二', 셋: '三', 넷: '四', 다섯: '五', 여섯: '六', 일곱: '七', 여덟: '八', 아홉: '九' },
  ...{ 한: '一', 두: '二', 세: '三', 네: '四' },
}

const counters =
  '년|월|일|원|퍼센트|프로|달러|유로|파운드|개|명|분|초|시|번|세|살|도|층|위|점|권|장|킬로|미터'

/** Long numerals, alone or before a counter; short ones only before counters that no other word ends with. */
const sino = `[${Object.keys(sinoKorean).join('')}]`
const numeralPatterns = [
  new RegExp(`^(${sino}{2,})(?=$|${counters}|에|은|는|이|가|을|를|의|과|와|으로|로)`, 'u'),
  new RegExp(`^(${sino})(?=(?:년|월|퍼센트|달러|유로|파운드|층)(?:$|에|은|는|의|까지|부터))`, 'u'),
]
const nativePattern = new RegExp(
  `^((?:${Object.keys(nativeTens).join('|')})(?:${Object.keys(nativeOnes).join('|')})?|${Object.keys(
    nativeOnes,
  )
    .filter((one) => one.length > 1)
    .join('|')}|[둘셋넷])(?=$|${counters})`,
  'u',
)

/** A numeral of several places, or digits that are read one by one. */
const isNumeral =
  /^(?:[一二三四五六七八九]?[十百千]|[一二三四五六七八九]+[万億兆]|[〇一二三四五六七八九]{3,}|[〇一二三四五六七八九]点)/u

/**
 * Returns the numeral at the start of a Korean word as Chinese characters, with its length in the word; undefined if it
 * starts with none.
 */
export function splitKoreanNumeral(
  word: string,
): { readonly characters: string; readonly length: number } | undefined {
  const native = nativePattern.exec(word)?.[0]
  if (native !== undefined) {
    const tens = Object.keys(nativeTens).find((one) => native.startsWith(one)) ?? ''
    const characters = (nativeTens[tens] ?? '') + (nativeOnes[native.slice(tens.length)] ?? '')
    return { characters, length: native.length }
  }
  for (const [index, pattern] of numeralPatterns.entries()) {
    const found = pattern.exec(word)?.[0]
    const characters = [...(found ?? '')].map((one) => sinoKorean[one]).join('')
    if (found !== undefined && (index > 0 || isNumeral.test(characters)))
      return { characters, length: found.length }
  }
  return undefined
}
