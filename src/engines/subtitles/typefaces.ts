import { MediaError } from '../../contract/errors.ts'
import { unknownTypeface, type Typeface } from '../../media/subtitles/typeface.ts'
import { plainWidth } from '../../media/subtitles/widths.ts'
import { loadDrawing, type Drawing } from '../canvas/load.ts'
import { locateFfmpeg } from '../ffmpeg/locate.ts'
import { drawnOf, penOf, setFont, type Drawns, type Kind } from './drawn-fonts.ts'
import { probeSize, type Probing } from './probe-text.ts'

/** Families with Chinese, Japanese and Korean letters: what systems and common installs have. */
const eastAsian = {
  zh: ['PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Source Han Sans SC', 'WenQuanYi Micro Hei'],
  ja: ['Hiragino Sans', 'Yu Gothic', 'Noto Sans CJK JP', 'Source Han Sans', 'Noto Sans CJK SC'],
  ko: ['Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans CJK KR', 'Source Han Sans K', 'Noto Sans CJK SC'],
} as const
const alphabetic = [
  'Arial',
  'Helvetica Neue',
  'Segoe UI',
  'Noto Sans',
  'Roboto',
  'Liberation Sans',
  'DejaVu Sans',
]

/** Families to try for a language, as the contract writes it: `zh-CN`. */
function familiesFor(language: string): readonly string[] {
  const code = language.slice(0, 2)
  if (code !== 'zh' && code !== 'ja' && code !== 'ko') return alphabetic
  const traditional = /^zh-(CHT|TW|HK)/.test(language)
    ? ['PingFang TC', 'Microsoft JhengHei', 'Noto Sans CJK TC']
    : []
  return [...traditional, ...eastAsian[code], 'Droid Sans Fallback']
}

/**
 * The family for subtitles in a language and how wide its texts are drawn: the first that this machine has,
 * measured by its font and set right by what libass draws of it. Where no such font is here, widths are estimated.
 */
export async function typefaceFor(language: string, probing: Probing): Promise<Typeface> {
  const wanted = familiesFor(language)
  try {
    const drawing = await loadDrawing()
    const here = new Set(drawing.GlobalFonts.families.map(({ family }) => family))
    const family = wanted.find((name) => here.has(name))
    const { filters } = await locateFfmpeg()
    if (family === undefined || !filters.has('ass')) return unknownTypeface(family ?? wanted[0] ?? 'Arial')
    return fitted(drawing, { family, drawn: await drawnOf(drawing, family, probing), language })
  } catch (error) {
    // Lines can be broken without what draws or measures, only less well.
    probing.signal?.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    return unknownTypeface(wanted[0] ?? 'Arial')
  }
}

/** Letters by kind; what is left is of an alphabet. */
const letters =
  /(?<spaces>\s+)|(?<eastAsian>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]+)|(?<hangul>\p{Script=Hangul}+)|(?<pictures>\p{Extended_Pictographic}(?:\p{M}|\u200d|\p{Emoji_Modifier}|\p{Extended_Pictographic})*)|[^]/gu

function fitted(
  drawing: Drawing,
  { family, drawn, language }: { readonly family: string; readonly drawn: Drawns; readonly language: string },
): Typeface {
  const pen = penOf(drawing)
  const main = language.startsWith('ko') ? 'hangul' : /^(zh|ja)/.test(language) ? 'eastAsian' : 'alphabet'
  const emPerSize = drawn[main].plain?.ratio ?? unknownTypeface(family).emPerSize
  const widthOf = ({ kind, run }: Run, bold: boolean) => {
    const weight = bold ? 'bold' : 'plain'
    if (kind === 'spaces') return (run.length * drawn.space[weight]) / probeSize / emPerSize
    const by = kind === 'pictures' ? undefined : drawn[kind][weight]
    if (!by) return plainWidth(run)
    setFont(pen, by.family, bold)
    return (pen.measureText(run).width / probeSize) * (by.ratio / emPerSize)
  }
  return {
    ...{ family, emPerSize },
    measure: (text, bold) => runsOf(text).reduce((sum, run) => sum + widthOf(run, bold), 0),
    knows: (text) =>
      runsOf(text).every(
        ({ kind }) => kind === 'pictures' || kind === 'spaces' || drawn[kind].plain !== undefined,
      ),
  }
}

/** Letters of one kind that stand together. */
interface Run {
  readonly kind: Kind | 'spaces' | 'pictures'
  readonly run: string
}

function runsOf(text: string): Run[] {
  const runs: Run[] = []
  for (const { groups = {}, 0: run } of text.matchAll(letters)) {
    const kind = runKinds.find((name) => groups[name] !== undefined) ?? 'alphabet'
    const last = runs.at(-1)
    if (last?.kind === kind) runs[runs.length - 1] = { kind, run: last.run + run }
    else runs.push({ kind, run })
  }
  return runs
}

const runKinds = ['spaces', 'eastAsian', 'hangul', 'pictures'] as const
