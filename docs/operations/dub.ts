import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applyTextStyle, loadDrawing, type Pen } from '../../src/engines/canvas/drawing.ts'
import type { AlignmentLine } from '../../src/media/dubbing/alignment.ts'
import type { FitAction } from '../../src/media/dubbing/fit.ts'
import { fails } from '../../test/engines/services/fake-service.ts'
import { dubModel, dubQuestion } from '../../test/video-translate-dub/dub-model.ts'
import { type DubRun, openDubStage, runDub } from '../../test/video-translate-dub/run-dub.ts'

// Draws dub.jpg: the lines of a dialogue that espeak-ng speaks, their translations, and both fitted to their time.
// REELWRIGHT_TESTDATA=<folder of test data> node docs/operations/dub.ts

/** Length of the translation of each line as a share of its time; so different ones need every step. */
const lengths = [0.4, 0.78, 0.42, 0.95, 0.66, 1.15, 0.4, 0.62]

const actions: Readonly<Record<FitAction, { readonly label: string; readonly colour: string }>> = {
  fit: { label: 'fits', colour: '#0969da' },
  borrow: { label: 'borrows a pause', colour: '#1a7f37' },
  yield: { label: 'uses time of a neighbour', colour: '#8250df' },
  boost: { label: 'is spoken faster', colour: '#bf8700' },
  freeze: { label: 'holds the picture', colour: '#bc4c00' },
  trim: { label: 'loses its end', colour: '#cf222e' },
}
const [ink, faint, grey] = ['#1f2328', '#656d76', '#d0d7de']
const size = { width: 1280, height: 372 }
const [left, right] = [20, 1260]
const height = 44
const half = 21
/** Top of each row of lines, pixels. */
const rows = { source: 44, translation: 148, output: 252 }

const folder = await mkdtemp(join(tmpdir(), 'dub-'))
try {
  await writeFile(new URL('dub.jpg', import.meta.url), await draw(await dub(folder)))
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Dubs a dialogue with a model that translates into these lengths and rewrites nothing. */
async function dub(scratch: string): Promise<DubRun> {
  await using stage = await openDubStage(scratch, {
    language: 'en-US',
    to: 'zh-CN',
    sentences: lengths.length,
  })
  const answers = lengths.map((factor) => dubModel({ spread: 0, factor }))
  stage.model.says = (body, heard) => {
    const { lines = [] } = dubQuestion(body)
    if (lines.some(({ change }) => change)) return fails(400)
    const all = answers.map((says) => says(body, heard) as { readonly lines: readonly unknown[] })
    return { lines: lines.map(({ id }, index) => all[id - 1]?.lines[index]) }
  }
  return await runDub(stage, {}, { folder: scratch })
}

async function draw({ output, record }: DubRun): Promise<Buffer> {
  const { createCanvas } = await loadDrawing()
  const canvas = createCanvas(size.width, size.height)
  const pen = canvas.getContext('2d')
  pen.fillStyle = '#ffffff'
  pen.fillRect(0, 0, size.width, size.height)
  const { output_duration_ms: total, freeze_points } = output.report
  const xOf = (ms: number) => left + ((right - left) * ms) / total
  const { lines } = record
  for (const { src_st_ms, st_ms } of lines) drawStart(pen, xOf(src_st_ms), xOf(st_ms))
  drawTitle(pen, 'The source', rows.source)
  drawTitle(pen, 'Its translation, as the voice speaks it', rows.translation)
  drawTitle(pen, `The dub, at ${output.report.ratio.toFixed(2)} times the speed`, rows.output)
  for (const [index, line] of lines.entries()) {
    const number = String(index + 1)
    const { src_st_ms: start, src_ed_ms: end, synth_ms, st_ms, dur_ms, action } = line
    drawBox(pen, [xOf(start), xOf(end)], { top: rows.source, colour: faint, number })
    // Lines that overlap are on two levels.
    const top = rows.translation + (index % 2) * (half + 2)
    drawBox(pen, [xOf(start), xOf(start + synth_ms)], { top, tall: half, colour: faint, number })
    drawBox(pen, [xOf(st_ms), xOf(st_ms + dur_ms)], {
      top: rows.output,
      colour: actions[action].colour,
      number,
    })
  }
  for (const [at, ms] of heldParts(freeze_points)) {
    pen.fillStyle = `${actions.freeze.colour}40`
    pen.fillRect(xOf(at), rows.output - 6, xOf(at + ms) - xOf(at), height + 12)
  }
  drawLegend(pen, lines)
  return await canvas.encode('jpeg', 88)
}

/** Parts of the output in which the picture is held: start and length, ms. */
function heldParts(points: readonly (readonly number[])[]): (readonly [number, number])[] {
  let before = 0
  return points.map(([at = 0, ms = 0]) => {
    const part = [at + before, ms] as const
    before += ms
    return part
  })
}

function drawTitle(pen: Pen, text: string, top: number): void {
  drawText(pen, text, { x: left, y: top - 12, colour: ink, weight: 600 })
  pen.fillStyle = '#f6f8fa'
  pen.fillRect(left, top, right - left, height)
}

interface BoxStyle {
  readonly top: number
  readonly colour: string
  readonly number: string
  /** Height, pixels. */
  readonly tall?: number
}

function drawBox(
  pen: Pen,
  [from, to]: readonly [number, number],
  { top, colour, number, tall = height }: BoxStyle,
): void {
  pen.fillStyle = colour
  pen.beginPath()
  pen.roundRect(from, top, Math.max(2, to - from - 1), tall, 4)
  pen.fill()
  drawText(pen, number, { x: from + 6, y: top + tall / 2 + 5, colour: '#ffffff', weight: 600 })
}

/** Draws a line from the start of a line in the source to its start in the dub. */
function drawStart(pen: Pen, from: number, to: number): void {
  pen.strokeStyle = grey
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(from, rows.source + height)
  pen.lineTo(to, rows.output)
  pen.stroke()
}

function drawLegend(pen: Pen, lines: readonly AlignmentLine[]): void {
  let x = left
  const used = new Set(lines.map(({ action }) => action))
  for (const [action, { label, colour }] of Object.entries(actions)) {
    if (!used.has(action as FitAction)) continue
    pen.fillStyle = colour
    pen.fillRect(x, rows.output + height + 30, 14, 14)
    drawText(pen, label, { x: x + 20, y: rows.output + height + 42, colour: ink, weight: 400 })
    x += 44 + pen.measureText(label).width
  }
}

interface TextPlace {
  readonly x: number
  readonly y: number
  readonly colour: string
  readonly weight: 400 | 600
}

function drawText(pen: Pen, text: string, { x, y, colour, weight }: TextPlace): void {
  applyTextStyle(pen, { size: 14, weight })
  pen.fillStyle = colour
  pen.fillText(text, x, y)
}
