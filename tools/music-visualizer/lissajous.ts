import type { Pen } from '../../src/engines/canvas/load.ts'
import { waveformSamples, type AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { clampToFrame, type CreateTemplate, drawTitle, rectAround, type Scene, textColours } from './scene.ts'

/** Half the side of the screen, as a share of the result's shorter side. */
const halfSide = 0.33

/** Where left against right lies nearer to a line than so, the sound is set against itself. */
const narrowWidth = 0.1

/** Samples by which it is later then: 2 ms, a quarter of 125 Hz. */
const delaySamples = 96

/** Samples over which the beam's way is evened, twice: above some 5 kHz it would only be fuzz. */
const smoothingSamples = 5

/** Samples drawn in one stroke, and the light of the oldest and the newest. */
const strokeSamples = 32
const beamLight = { oldest: 0.04, newest: 0.95 }

/** Light, of 1, of which less is not seen. */
const minAlpha = 0.02

/** An oscilloscope: left against right, turned so that what both have in common goes up and down. */
export const lissajous: CreateTemplate = (scene) => {
  const { unit, width, height } = scene
  const [x, y] = [width / 2, height * 0.45]
  const beam = createBeam(scene)
  return {
    region: clampToFrame(scene, rectAround(x, y, { across: halfSide * unit * 1.16 })),
    drawStill(pen) {
      drawScreen(pen, scene, { x, y })
      const size = 0.05 * unit
      const place = { x: width / 2, width: width - 2 * scene.margin, align: 'center', size } as const
      return drawTitle(pen, scene, {
        ...place,
        y: Math.min(y + halfSide * 1.27 * unit + size, height - scene.margin - 0.7 * size),
      })
    },
    drawMoving(pen, moment) {
      const points = beam(moment)
      pen.save()
      pen.translate(x, y)
      pen.lineJoin = 'bevel'
      pen.lineCap = 'butt'
      drawBeam(pen, scene, points)
      pen.restore()
    },
  }
}

/** A quiet grid behind the beam. */
function drawScreen(pen: Pen, { unit }: Scene, { x, y }: { x: number; y: number }): void {
  const reach = halfSide * unit
  pen.save()
  pen.translate(x, y)
  pen.fillStyle = 'rgba(4,5,9,0.34)'
  pen.beginPath()
  pen.arc(0, 0, reach * 1.14, 0, 2 * Math.PI)
  pen.fill()
  pen.strokeStyle = textColours.faint
  pen.lineWidth = Math.max(0.75, 0.0012 * unit)
  for (const share of [0.38, 0.76, 1.14]) {
    pen.beginPath()
    pen.arc(0, 0, reach * share, 0, 2 * Math.PI)
    pen.stroke()
  }
  pen.beginPath()
  for (const angle of [0.25, 0.75, 0.5, 0]) {
    const [across, down] = [
      Math.cos(angle * Math.PI) * reach * 1.14,
      Math.sin(angle * Math.PI) * reach * 1.14,
    ]
    pen.moveTo(-across, -down)
    pen.lineTo(across, down)
  }
  pen.globalAlpha = 0.55
  pen.stroke()
  pen.restore()
}

/** Answers the beam's way at a moment: x and y in turn, in pixels from the middle of the screen. */
function createBeam({ unit, profile }: Scene): (moment: AudioFeatures) => Float32Array {
  const points = new Float32Array(2 * (waveformSamples - delaySamples))
  const reach = halfSide * unit * 1.1
  const { angle, width } = profile.sides
  const line = width < narrowWidth
  // What is rarely exceeded comes near the rim, and nothing crosses it.
  const gain = 1.5 / Math.max(0.02, profile.peak)
  const bound = (value: number) => reach * Math.tanh(value)
  return ({ left, right }) => {
    const first = smooth(line ? project(left, right, angle) : left)
    const second = line ? first : smooth(right)
    for (let at = 0; at < waveformSamples - delaySamples; at += 1) {
      const one = first[at + delaySamples] ?? 0
      const other = second[line ? at : at + delaySamples] ?? 0
      points[2 * at] = bound(gain * (other - one))
      points[2 * at + 1] = bound(-gain * 0.5 * (other + one))
    }
    return points
  }
}

/** What lies along a direction of left against right, as loud as the louder side. */
function project(left: Float32Array, right: Float32Array, angle: number): Float32Array {
  const [across, up] = [Math.cos(angle), Math.sin(angle)]
  const level = Math.max(Math.abs(across), Math.abs(up))
  return left.map((sample, at) => level * (across * sample + up * (right[at] ?? 0)))
}

/** The moving mean, taken twice. */
function smooth(samples: Float32Array): Float32Array {
  let from = samples
  for (let pass = 0; pass < 2; pass += 1) {
    const to = new Float32Array(from.length)
    let sum = 0
    for (let at = 0; at < from.length; at += 1) {
      sum += (from[at] ?? 0) - (from[at - smoothingSamples] ?? 0)
      to[at] = sum / smoothingSamples
    }
    from = to
  }
  return from
}

/** Draws the way in short strokes, the newest brightest, each with a glow. */
function drawBeam(pen: Pen, { unit, palette }: Scene, points: Float32Array): void {
  const count = points.length / 2
  for (const { samples, step, width, share, way } of [
    // Light that is added takes twice as long as paint; a glow is too faint to tell them apart.
    { samples: 4 * strokeSamples, step: 4, width: 0.0085 * unit, share: 0.14, way: 'source-over' },
    { samples: strokeSamples, step: 2, width: Math.max(0.8, 0.002 * unit), share: 1, way: 'lighter' },
  ] as const) {
    pen.lineWidth = width
    pen.globalCompositeOperation = way
    for (let from = 0; from < count - 1; from += samples) {
      const age = from / count
      const alpha = share * (beamLight.oldest + (beamLight.newest - beamLight.oldest) * age ** 1.6)
      if (alpha < minAlpha) continue
      pen.strokeStyle = palette.css(age, alpha)
      pen.beginPath()
      const to = Math.min(count - 1, from + samples)
      for (let at = from; at <= to; at += step) pen.lineTo(points[2 * at] ?? 0, points[2 * at + 1] ?? 0)
      pen.stroke()
    }
  }
}
