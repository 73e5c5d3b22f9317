import type { Caption, Footage } from './text.ts'
import { seededNumbers } from './world.ts'

const latinTexts = [
  'Do you know where he went?',
  'See you tomorrow, Anna!',
  'Nobody called me',
  'The train leaves at nine',
  'What is it?',
  'I have never been to the sea before',
]
const chineseTexts = [
  '你知道他去哪里了吗',
  '明天早上八点见面',
  '没有人告诉我',
  '火车九点开',
  '这是什么',
  '我以前从来没有去过海边',
]

/** Kinds of burned-in text. */
export const captionKinds = [
  'two lines',
  'fading',
  '20 px',
  'watermark',
  'moving',
  'credits',
  'crawl',
  'plain',
] as const
export type CaptionKind = (typeof captionKinds)[number]

/** Frames per second, and frames in total. */
const [fps, frames] = [30, 180]

/** Footage with text of a kind, different for each seed. */
export function createFootage(
  kind: CaptionKind,
  background: Footage['background'],
  { seed, height = 720 }: { readonly seed: number; readonly height?: number },
): Footage {
  const size = { width: Math.round((height * 16) / 9), height }
  const next = seededNumbers(seed * 977 + captionKinds.indexOf(kind))
  return { ...size, fps, frames, background, captions: captionCreators[kind](size, next) }
}

type CaptionCreator = (size: Pick<Footage, 'width' | 'height'>, next: () => number) => Caption[]

const colours = ['white', '#ffe14d', '#bfe6ff']

function pick<T>(all: readonly T[], next: () => number): T {
  const one = all[Math.floor(next() * all.length)]
  if (one === undefined) throw new TypeError('the list is empty')
  return one
}

const between = (low: number, high: number, next: () => number) => Math.round(low + (high - low) * next())

/** Creates lines one after another, some immediately, some after a pause. */
function consecutiveCaptions(
  next: () => number,
  create: (options: { readonly first: number; readonly end: number; readonly line: number }) => Caption[],
): Caption[] {
  const captions: Caption[] = []
  let line = between(0, 5, next)
  for (let first = between(0, 12, next); first < frames - 40;) {
    const end = first + between(32, 70, next)
    captions.push(...create({ first, end: Math.min(end, frames), line }))
    // Consecutive lines differ in text.
    line += 1
    first = end + (next() < 0.4 ? 0 : between(5, 25, next))
  }
  return captions
}

const captionCreators: Readonly<Record<CaptionKind, CaptionCreator>> = {
  'two lines': ({ width, height }, next) =>
    consecutiveCaptions(next, ({ first, end, line: index }) => {
      const line = { x: width / 2, first, end, outline: 'black', fill: pick(colours, next) }
      return [
        { ...line, text: chineseTexts[index % 6] ?? '', size: height * 0.055, y: height * 0.85 },
        { ...line, text: latinTexts[index % 6] ?? '', size: height * 0.04, y: height * 0.92 },
      ]
    }),
  plain: ({ width, height }, next) =>
    consecutiveCaptions(next, ({ first, end, line }) => [
      {
        ...{ first, end, text: (line % 2 ? latinTexts : chineseTexts)[line % 6] ?? '' },
        ...{
          fill: pick(colours, next),
          size: height * 0.06,
          x: width / 2,
          y: height * (0.1 + 0.8 * next()),
        },
      },
    ]),
  fading: ({ width, height }, next) =>
    [0.2, 0.5, 0.8].map((y, index) => {
      const first = between(5, 40, next)
      return {
        ...{
          text: pick(index === 1 ? chineseTexts : latinTexts, next),
          size: height * (0.05 + 0.05 * next()),
        },
        ...{ x: width * (0.35 + 0.3 * next()), y: height * y, first, end: first + between(80, 130, next) },
        ...{ fade: between(5, 25, next), fill: pick(colours, next) },
      }
    }),
  '20 px': ({ width, height }, next) =>
    [0.1, 0.25, 0.4, 0.55, 0.7, 0.9].map((y) => {
      const first = between(0, 60, next)
      return {
        ...{ text: pick([...latinTexts, ...chineseTexts], next), size: 20, fill: pick(colours, next) },
        ...{ x: width * (0.2 + 0.6 * next()), y: height * y, first, end: first + between(50, 110, next) },
        outline: 'black',
      }
    }),
  watermark: ({ width, height }, next) => [
    {
      ...{ text: 'STUDIO SAMPLE', size: height * 0.05, x: width * 0.83, y: height * (0.06 + 0.1 * next()) },
      ...{ first: 0, end: frames, opacity: 0.3 + 0.2 * next() },
    },
    {
      ...{ text: '样片请勿外传', size: height * 0.06, x: width * 0.16, y: height * (0.8 + 0.1 * next()) },
      ...{ first: 0, end: frames, opacity: 0.35 + 0.2 * next() },
    },
  ],
  moving: ({ width, height }, next) =>
    [0.3, 0.7].map((y) => ({
      ...{ text: pick([...latinTexts, ...chineseTexts], next), size: height * 0.06, outline: 'black' },
      ...{ x: width * (0.3 + 0.1 * next()), y: height * y, first: between(5, 30, next), end: frames - 10 },
      motion: { x: 3 * next(), y: 1.6 * (next() - 0.5) },
    })),
  credits: ({ width, height }, next) =>
    Array.from({ length: 5 }, (_, line) => ({
      ...{ text: pick([...latinTexts, ...chineseTexts], next), size: height * 0.05, outline: 'black' },
      ...{ x: width / 2, y: height * (0.95 + 0.12 * line), first: 0, end: frames },
      motion: { x: 0, y: -3 },
    })),
  crawl: ({ width, height }, next) => [
    {
      ...{
        text: `${pick(latinTexts, next)} ${pick(chineseTexts, next)}`,
        size: height * 0.045,
        outline: 'black',
      },
      ...{
        x: width * 1.3,
        y: height * 0.93,
        first: 0,
        end: frames,
        motion: { x: -between(4, 9, next), y: 0 },
      },
    },
  ],
}
