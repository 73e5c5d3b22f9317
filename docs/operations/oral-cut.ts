import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyTextStyle, loadDrawing, type Pen } from '../../src/engines/canvas/drawing.ts'
import { speechRate, type TimeSpan } from '../../src/media/speech/speech-types.ts'
import { assemble, type RecordingTruth } from '../../test/recordings/assemble.ts'
import { wordsOf } from '../../test/recordings/read-aloud.ts'
import type { Passage, PassageKind, SpokenScript } from '../../test/recordings/script.ts'
import { startStandInRecogniser } from '../../test/recordings/stand-in-recogniser.ts'
import { readXmeml } from '../../test/projects/readers/xmeml.ts'
import { cutSpoken } from '../../test/video-oral-cut/run-cut.ts'

// Draws oral-cut.jpg: the waveform of a recording that espeak-ng speaks with mistakes, and of its cut.
// REELWRIGHT_TESTDATA=<folder of test data> node docs/operations/oral-cut.ts

/** What the speaker says: kind, words, and the pause after it, seconds. */
const spoken: readonly (readonly [kind: PassageKind, text: string, pause: number])[] = [
  ['speech', 'Welcome to my kitchen.', 0.5],
  ['restart', 'Today', 0.4],
  ['speech', 'Today we bake bread at home.', 1.9],
  ['retake', 'First mix the flour with warm water.', 0.7],
  ['speech', 'First mix the flour with warm water.', 0.5],
  ['filler', 'uhm', 0.5],
  ['misread', 'Then get the cold west of an hour.', 0.8],
  ['speech', 'Then let the dough rest for an hour.', 1.9],
  ['speech', 'Now it goes into the oven.', 0.4],
]
/** Passages whose pause has a breath. */
const breathAfter = new Set([2])

/** Colours of sound that is kept, and of what is cut, with the label of each. */
const kept = '#0969da'
const removed = {
  retake: { label: 'retake', colour: '#cf222e' },
  restart: { label: 'restart', colour: '#bf3989' },
  misread: { label: 'misread', colour: '#bc4c00' },
  filler: { label: 'hesitation', colour: '#8250df' },
  breath: { label: 'breath', colour: '#1a7f37' },
  pause: { label: 'pause', colour: '#8c959f' },
} as const
type RemovedKind = keyof typeof removed

const [ink, faint, band] = ['#1f2328', '#656d76', '#f6f8fa']
const size = { width: 1280, height: 420 }
const [left, right] = [20, 1260]
/** Middle lines of both waveforms, and half of their height; pixels. */
const [before, after, reach] = [114, 346, 56]
const bar = { width: 2, step: 3 }
/** Shortest pause with a label, seconds. */
const labelledPause = 0.9

/** A part of the recording with one fate. */
interface Part extends TimeSpan {
  readonly kind: RemovedKind | 'kept'
}

const folder = await mkdtemp(join(tmpdir(), 'oral-cut-'))
try {
  const { samples, truth, spans } = await cutRecording(folder)
  await writeFile(new URL('oral-cut.jpg', import.meta.url), await draw(samples, truth, spans))
} finally {
  await rm(folder, { recursive: true, force: true })
}

function spokenScript(): SpokenScript {
  let scriptWord = 0
  const passages = spoken.map(([kind, text, pause], index): Passage => {
    const words = wordsOf(text)
    const at = scriptWord
    if (kind === 'speech') scriptWord += words.length
    const sounds = breathAfter.has(index)
      ? [{ kind: 'breath' as const, at: 0.75, seconds: 0.5, level: -24 }]
      : []
    return {
      kind,
      words,
      scriptWord: at,
      attempt: index,
      breakAfter: kind === 'speech' ? '。' : null,
      pause,
      sounds,
    }
  })
  const text = spoken.flatMap(([kind, sentence]) => (kind === 'speech' ? [sentence] : [])).join(' ')
  return { language: 'en-US', text, passages }
}

/** Generates the recording and cuts it with its script. Returns the spans that its project keeps. */
async function cutRecording(scratch: string) {
  const script = spokenScript()
  const recording = await assemble(script)
  await using recogniser = await startStandInRecogniser(recording, {})
  const { text } = await cutSpoken(scratch, recording, {
    rate: { num: 25, den: 1 },
    service: { address: `${recogniser.origin}/v1`, model: 'stand-in' },
    request: { la: 'en-US', script: script.text, source_path: '/talk.mp4', rhythm_preset: 'concise' },
  })
  const [track] = readXmeml(await text('project', 'xml')).tracks
  const spans = (track?.clips ?? []).map(({ from, to }) => ({
    start: from.num / from.den,
    end: to.num / to.den,
  }))
  return { ...recording, spans }
}

/** Draws both waveforms on one time scale, with ribbons from each kept part to its place in the cut. */
async function draw(
  samples: Float32Array,
  truth: RecordingTruth,
  spans: readonly TimeSpan[],
): Promise<Buffer> {
  const { createCanvas } = await loadDrawing()
  const canvas = createCanvas(size.width, size.height)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#ffffff'
  pen.fillRect(0, 0, size.width, size.height)
  const xOf = (seconds: number) => left + ((right - left) * seconds) / truth.seconds
  const parts = partsOf(truth, spans)
  const total = spans.reduce((sum, { start, end }) => sum + end - start, 0)
  drawBand(pen, [left, right], before)
  drawBand(pen, [left, xOf(total)], after)
  let at = 0
  for (const { start, end } of spans) {
    drawRibbon(pen, [xOf(start), xOf(end)], [xOf(at), xOf(at + end - start)])
    at += end - start
  }
  const colourAt = (seconds: number) => {
    const kind = parts.find(({ start, end }) => seconds >= start && seconds < end)?.kind ?? 'pause'
    return kind === 'kept' ? kept : removed[kind].colour
  }
  drawWave(pen, samples, { middle: before, to: right, colourAt })
  const cut = spans.flatMap(({ start, end }) => [...samples.subarray(toSample(start), toSample(end))])
  drawWave(pen, Float32Array.from(cut), { middle: after, to: xOf(total), colourAt: () => kept })
  for (const part of parts) if (part.kind !== 'kept') drawLabel(pen, xOf, { ...part, kind: part.kind })
  drawText(pen, `Before: ${truth.seconds.toFixed(1)} s`, { x: left, y: 22, colour: ink, weight: 600 })
  const beside = xOf(total) + 24
  drawText(pen, `After: ${total.toFixed(1)} s`, { x: beside, y: after - 4, colour: ink, weight: 600 })
  drawText(pen, 'each sentence once, pauses by its punctuation', {
    x: beside,
    y: after + 18,
    colour: kept,
    weight: 400,
  })
  return await canvas.encode('jpeg', 88)

  function toSample(seconds: number): number {
    return Math.round(seconds * speechRate)
  }
}

/** Divides the recording into kept and removed parts; the latter by what is there. */
function partsOf({ passages, breaths, seconds }: RecordingTruth, spans: readonly TimeSpan[]): Part[] {
  const sounds: Part[] = [
    ...passages.flatMap(({ start, end, kind }) => (kind === 'speech' ? [] : [{ start, end, kind }])),
    ...breaths.map(({ start, end }) => ({ start, end, kind: 'breath' as const })),
  ]
  const known: Part[] = [...spans.map(({ start, end }) => ({ start, end, kind: 'kept' as const })), ...sounds]
  known.sort((one, other) => one.start - other.start)
  let end = 0
  const parts: Part[] = []
  for (const part of [...known, { start: seconds, end: seconds, kind: 'kept' as const }]) {
    if (part.start > end) parts.push({ start: end, end: part.start, kind: 'pause' })
    parts.push(part)
    end = Math.max(end, part.end)
  }
  return parts
}

function drawBand(pen: Pen, [from, to]: readonly [number, number], middle: number): void {
  pen.fillStyle = band
  pen.beginPath()
  pen.roundRect(from - 6, middle - reach - 4, to - from + 12, 2 * reach + 8, 6)
  pen.fill()
}

function drawRibbon(
  pen: Pen,
  [fromLeft, fromRight]: readonly [number, number],
  [toLeft, toRight]: readonly [number, number],
): void {
  const [top, bottom] = [before + reach + 4, after - reach - 4]
  const middle = (top + bottom) / 2
  pen.fillStyle = '#0969da1c'
  pen.beginPath()
  pen.moveTo(fromLeft, top)
  pen.bezierCurveTo(fromLeft, middle, toLeft, middle, toLeft, bottom)
  pen.lineTo(toRight, bottom)
  pen.bezierCurveTo(toRight, middle, fromRight, middle, fromRight, top)
  pen.fill()
}

/** Draws the level of sound (RMS) as bars from the left edge to an x. */
function drawWave(
  pen: Pen,
  samples: Float32Array,
  {
    middle,
    to,
    colourAt,
  }: { readonly middle: number; readonly to: number; colourAt(seconds: number): string },
): void {
  const perPixel = samples.length / (to - left)
  for (let x = left; x < to; x += bar.step) {
    const first = Math.round((x - left) * perPixel)
    const part = samples.subarray(first, Math.round(first + bar.step * perPixel))
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, part.length)
    const height = Math.max(1, Math.min(1, 4 * Math.sqrt(power)) * reach)
    pen.fillStyle = colourAt((first + part.length / 2) / speechRate)
    pen.beginPath()
    pen.roundRect(x, middle - height, bar.width, 2 * height, 1)
    pen.fill()
  }
}

function drawLabel(
  pen: Pen,
  xOf: (seconds: number) => number,
  { kind, start, end }: TimeSpan & { readonly kind: RemovedKind },
): void {
  const { label, colour } = removed[kind]
  if (kind === 'pause') {
    if (end - start < labelledPause) return
    drawText(pen, label, {
      x: (xOf(start) + xOf(end)) / 2,
      y: before + 20,
      colour: faint,
      weight: 400,
      align: 'center',
    })
    return
  }
  pen.fillStyle = colour
  pen.fillRect(xOf(start), before - reach - 8, xOf(end) - xOf(start), 2)
  drawText(pen, label, {
    x: (xOf(start) + xOf(end)) / 2,
    y: before - reach - 14,
    colour,
    weight: 500,
    align: 'center',
  })
}

interface TextPlace {
  readonly x: number
  readonly y: number
  readonly colour: string
  readonly weight: 400 | 500 | 600
  readonly align?: 'left' | 'center' | 'right'
}

function drawText(pen: Pen, text: string, { x, y, colour, weight, align = 'left' }: TextPlace): void {
  applyTextStyle(pen, { size: 14, weight })
  pen.textAlign = align
  pen.fillStyle = colour
  pen.fillText(text, x, y)
}
