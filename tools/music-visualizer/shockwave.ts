import type { Pen } from '../../src/engines/canvas/load.ts'
import { recentBeats } from '../../src/media/audio/beat-detector.ts'
import type { AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { type CreateTemplate, drawTitle, type Scene } from './scene.ts'

/** How much larger the picture is, at rest, by the bass, and by a beat: it always covers the frame. */
const zoom = { rest: 0.015, bass: 0.045, beat: 0.05 }

/** Time in which what a beat does falls to a third, seconds; and after which nothing of it is seen. */
const beatDecay = 0.13
const beatSeconds = 0.9

/** How far the colours part on a beat, as a share of the shorter side. */
const maxChannelShift = 0.013

/** The background beats with the music, its colours part on every beat, and a wave runs out from the middle. */
export const shockwave: CreateTemplate = (scene) => {
  const { unit, width, height } = scene
  // Never farther than the picture at rest reaches beyond the frame.
  const farthest = Math.min(maxChannelShift * unit, (zoom.rest * width) / 2)
  return {
    region: { x: 0, y: 0, width, height },
    drawOrnament: (pen) => drawRipples(pen, scene),
    drawStill(pen) {
      const size = 0.096 * unit
      return drawTitle(pen, scene, {
        ...{ x: width / 2, y: height * 0.5 + (scene.artist === '' ? 0.34 : 0.05) * size },
        ...{ width: width - 3 * scene.margin, align: 'center', size },
      })
    },
    beatEffect: {
      maxShift: farthest,
      at(moment) {
        const force = beatForce(scene, moment)
        return {
          zoom: 1 + zoom.rest + zoom.bass * moment.bass + zoom.beat * force,
          channelShift: farthest * force,
        }
      },
    },
    drawMoving(pen, moment) {
      for (const beat of recentBeats(scene.profile.beats, moment.time, beatSeconds)) {
        drawShockwave(pen, scene, { age: moment.time - beat.at, strength: beat.strength })
      }
    },
  }
}

/** How strongly the beats before a moment still act, 0 to 1. */
function beatForce({ profile }: Scene, { time }: AudioFeatures): number {
  const acting = recentBeats(profile.beats, time, beatSeconds)
  return acting.reduce(
    (most, { at, strength }) => Math.max(most, strength * Math.exp((at - time) / beatDecay)),
    0,
  )
}

function drawShockwave(pen: Pen, scene: Scene, { age, strength }: { age: number; strength: number }): void {
  const { width, height, unit, palette } = scene
  const passed = Math.max(0, age) / beatSeconds
  const out = 1 - (1 - passed) ** 2
  const fade = strength * Math.max(0, 1 - passed) ** 2
  const radius = (0.16 + 0.5 * out) * Math.hypot(width, height) * 0.5
  pen.lineWidth = (0.012 + 0.03 * out) * unit
  pen.strokeStyle = palette.css(0, 0.1 * fade)
  for (const line of [pen.lineWidth, 0.003 * unit]) {
    pen.lineWidth = line
    pen.beginPath()
    pen.arc(width / 2, height / 2, radius, 0, 2 * Math.PI)
    pen.stroke()
    pen.strokeStyle = palette.css(0, 0.55 * fade)
  }
}

/** Most rings there are; only of a result more than three times as long as wide would there be more. */
const maxRipples = 40

/** Rings on the built-in background: without them nothing would be seen to move. */
function drawRipples(pen: Pen, { width, height, unit, palette }: Scene): void {
  const end = Math.hypot(width, height) / 2
  const step = Math.max(0.052 * unit, end / maxRipples)
  let index = 0
  for (let radius = 0.3 * unit; radius < end; radius += step) {
    const far = radius / end
    pen.strokeStyle = palette.css(far, index % 3 === 0 ? 0.26 * (1 - 0.55 * far) : 0.1)
    pen.lineWidth = (index % 3 === 0 ? 0.0028 : 0.0016) * unit
    pen.setLineDash(index % 3 === 1 ? [0.003 * unit, 0.018 * unit] : [])
    pen.lineCap = 'round'
    pen.beginPath()
    pen.arc(width / 2, height / 2, radius, 0, 2 * Math.PI)
    pen.stroke()
    index += 1
  }
  pen.setLineDash([])
}
