import { MediaError } from '../../contract/errors.ts'
import { estimatedTypeface, estimateWidth, type Typeface } from '../../media/subtitles/text-width.ts'
import { loadDrawing, type Drawing } from '../canvas/drawing.ts'
import { locateFfmpeg } from '../ffmpeg/locate.ts'
import {
  type FontProbeOptions,
  type LetterKind,
  measuringPen,
  probeSize,
  renderedFonts,
  type RenderedFonts,
  setProbeFont,
} from './rendered-fonts.ts'

/** Font families with Chinese, Japanese and Korean letters on common systems. */
const eastAsianFamilies = {
  zh: ['PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Source Han Sans SC', 'WenQuanYi Micro Hei'],
  ja: ['Hiragino Sans', 'Yu Gothic', 'Noto Sans CJK JP', 'Source Han Sans', 'Noto Sans CJK SC'],
  ko: ['Apple SD Gothic Neo', 'Malgun Gothic', 'Noto Sans CJK KR', 'Source Han Sans K', 'Noto Sans CJK SC'],
} as const
const alphabeticFamilies = [
  'Arial',
  'Helvetica Neue',
  'Segoe UI',
  'Noto Sans',
  'Roboto',
  'Liberation Sans',
  'DejaVu Sans',
]

/** Returns the families to try for a language code of the contract, such as `zh-CN`. */
function familiesFor(language: string): readonly string[] {
  const code = language.slice(0, 2)
  if (code !== 'zh' && code !== 'ja' && code !== 'ko') return alphabeticFamilies
  const traditional = /^zh-(CHT|TW|HK)/.test(language)
    ? ['PingFang TC', 'Microsoft JhengHei', 'Noto Sans CJK TC']
    : []
  return [...traditional, ...eastAsianFamilies[code], 'Droid Sans Fallback']
}

/**
 * Returns the first family for a language that this machine has. Its widths are measured in the font and corrected by
 * those that libass draws. Without such a font, widths are estimated.
 */
export async function typefaceFor(language: string, probing: FontProbeOptions): Promise<Typeface> {
  const families = familiesFor(language)
  try {
    const drawing = await loadDrawing()
    const installed = new Set(drawing.GlobalFonts.families.map(({ family }) => family))
    const family = families.find((name) => installed.has(name))
    const { filters } = await locateFfmpeg()
    if (family === undefined || !filters.has('ass'))
      return estimatedTypeface(family ?? families[0] ?? 'Arial')
    return measuredTypeface(drawing, {
      family,
      drawn: await renderedFonts(drawing, family, probing),
      language,
    })
  } catch (error) {
    // Without fonts or libass, lines are wrapped by estimated widths.
    probing.signal?.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    return estimatedTypeface(families[0] ?? 'Arial')
  }
}

/** Letters by kind; all others belong to an alphabet. */
const letterPattern =
  /(?<spaces>\s+)|(?<eastAsian>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]+)|(?<hangul>\p{Script=Hangul}+)|(?<pictures>\p{Extended_Pictographic}(?:\p{M}|\u200d|\p{Emoji_Modifier}|\p{Extended_Pictographic})*)|[^]/gu

function measuredTypeface(
  drawing: Drawing,
  {
    family,
    drawn,
    language,
  }: { readonly family: string; readonly drawn: RenderedFonts; readonly language: string },
): Typeface {
  const pen = measuringPen(drawing)
  const main = language.startsWith('ko') ? 'hangul' : /^(zh|ja)/.test(language) ? 'eastAsian' : 'alphabet'
  const emPerSize = drawn[main].plain?.ratio ?? estimatedTypeface(family).emPerSize
  const widthOf = ({ kind, text: run }: LetterRun, bold: boolean) => {
    const weight = bold ? 'bold' : 'plain'
    if (kind === 'spaces') return (run.length * drawn.space[weight]) / probeSize / emPerSize
    const by = kind === 'pictures' ? undefined : drawn[kind][weight]
    if (!by) return estimateWidth(run)
    setProbeFont(pen, by.family, bold)
    return (pen.measureText(run).width / probeSize) * (by.ratio / emPerSize)
  }
  return {
    ...{ family, emPerSize },
    measure: (text, bold) => splitLetterRuns(text).reduce((sum, run) => sum + widthOf(run, bold), 0),
    isMeasured: (text) =>
      splitLetterRuns(text).every(
        ({ kind }) => kind === 'pictures' || kind === 'spaces' || drawn[kind].plain !== undefined,
      ),
  }
}

/** Adjacent letters of one kind. */
interface LetterRun {
  readonly kind: LetterKind | 'spaces' | 'pictures'
  readonly text: string
}

function splitLetterRuns(text: string): LetterRun[] {
  const runs: LetterRun[] = []
  for (const { groups = {}, 0: run } of text.matchAll(letterPattern)) {
    const kind = runKinds.find((name) => groups[name] !== undefined) ?? 'alphabet'
    const last = runs.at(-1)
    if (last?.kind === kind) runs[runs.length - 1] = { kind, text: last.text + run }
    else runs.push({ kind, text: run })
  }
  return runs
}

const runKinds = ['spaces', 'eastAsian', 'hangul', 'pictures'] as const
