import type { Pen } from '../../src/engines/canvas/drawing.ts'
import { waveformSamples, type AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { clampToFrame, type CreateTemplate, drawTitle, rectAround, type Scene, textColours } from './scene.ts'

/** Half the side of the oscilloscope's screen, as a share of the result's shorter side. */
const halfSide = 0.33

/** Stereo width below which left against right is nearly a line; the sound is then plotted against a delayed copy. */
const narrowWidth = 0.1

/** Delay of the copy in samples: 2 ms, a quarter period of 125 Hz. */
const delaySamples = 96

/** Length of the moving average in samples, applied twice: frequencies above about 5 kHz would only blur the beam. */
const smoothingSamples = 5

/** Samples drawn in one stroke. */
const strokeSamples = 32

/** Opacity of the oldest and the newest stroke. */
const beamLight = { oldest: 0.04, newest: 0.95 }

/** Opacity below which strokes are not drawn. */
const minAlpha = 0.02

/** An oscilloscope of left against right, rotated so that the mono part is vertical. */
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

/** Draws a faint grid behind the beam. */
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

/** Returns a function that computes the beam's path at a moment: interleaved x and y in pixels from the screen's centre. The array is reused. */
function createBeam({ unit, profile }: Scene): (moment: AudioFeatures) => Float32Array {
  const points = new Float32Array(2 * (waveformSamples - delaySamples))
  const reach = halfSide * unit * 1.1
  const { angle, width } = profile.sides
  const line = width < narrowWidth
  // Levels near the peak reach the rim; tanh keeps all others inside.
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

/** Projects left and right onto a direction (angle in radians), scaled to the level of the louder channel. */
function project(left: Float32Array, right: Float32Array, angle: number): Float32Array {
  const [across, up] = [Math.cos(angle), Math.sin(angle)]
  const level = Math.max(Math.abs(across), Math.abs(up))
  return left.map((sample, at) => level * (across * sample + up * (right[at] ?? 0)))
}

/** Applies a moving average twice. */
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

/** Draws the path in short strokes with a glow, the newest brightest. */
function drawBeam(pen: Pen, { unit, palette }: Scene, points: Float32Array): void {
  const count = points.length / 2
  for (const { samples, step, width, share, blending } of [
    // Additive blending takes twice as long, and makes no visible difference for the faint glow.
    { samples: 4 * strokeSamples, step: 4, width: 0.0085 * unit, share: 0.14, blending: 'source-over' },
    { samples: strokeSamples, step: 2, width: Math.max(0.8, 0.002 * unit), share: 1, blending: 'lighter' },
  ] as const) {
    pen.lineWidth = width
    pen.globalCompositeOperation = blending
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
