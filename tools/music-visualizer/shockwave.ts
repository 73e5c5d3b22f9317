import type { Pen } from '../../src/engines/canvas/drawing.ts'
import { recentBeats } from '../../src/media/audio/beat-detector.ts'
import type { AudioFeatures } from '../../src/media/audio/audio-features.ts'
import { type CreateTemplate, drawTitle, type Scene } from './scene.ts'

/** Enlargement of the background: at rest, by bass at level 1, and by a full beat. It always covers the frame. */
const zoom = { rest: 0.015, bass: 0.045, beat: 0.05 }

/** Time in which a beat's effect falls to 1/e, and time after which it is invisible, seconds. */
const beatDecay = 0.13
const beatSeconds = 0.9

/** Largest channel shift on a beat, as a share of the shorter side. */
const maxChannelShift = 0.013

/** A background that pulses with the music; each beat shifts its colour channels and sends a wave from the centre. */
export const shockwave: CreateTemplate = (scene) => {
  const { unit, width, height } = scene
  // At most as far as the picture at rest extends beyond the frame.
  const maxShift = Math.min(maxChannelShift * unit, (zoom.rest * width) / 2)
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
      maxShift,
      at(moment) {
        const force = beatForce(scene, moment)
        return {
          zoom: 1 + zoom.rest + zoom.bass * moment.bass + zoom.beat * force,
          channelShift: maxShift * force,
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

/** Strongest remaining effect of earlier beats, 0 to 1. */
function beatForce({ profile }: Scene, { time }: AudioFeatures): number {
  const beats = recentBeats(profile.beats, time, beatSeconds)
  return beats.reduce(
    (strongest, { at, strength }) => Math.max(strongest, strength * Math.exp((at - time) / beatDecay)),
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

/** Largest number of rings, reached only if one side is more than three times the other. */
const maxRipples = 40

/** Returns the radii of the rings on the built-in background, from the centre outward, in pixels. */
export function rippleRadii({ width, height, unit }: Pick<Scene, 'width' | 'height' | 'unit'>): number[] {
  const end = Math.hypot(width, height) / 2
  const [start, step] = [0.3 * unit, Math.max(0.052 * unit, end / maxRipples)]
  const count = Math.max(0, Math.ceil((end - start) / step))
  return Array.from({ length: count }, (_, index) => start + index * step)
}

/** Draws rings on the built-in background, because its movement would be invisible without them. */
function drawRipples(pen: Pen, scene: Scene): void {
  const { width, height, unit, palette } = scene
  for (const [index, radius] of rippleRadii(scene).entries()) {
    const far = radius / (Math.hypot(width, height) / 2)
    pen.strokeStyle = palette.css(far, index % 3 === 0 ? 0.26 * (1 - 0.55 * far) : 0.1)
    pen.lineWidth = (index % 3 === 0 ? 0.0028 : 0.0016) * unit
    pen.setLineDash(index % 3 === 1 ? [0.003 * unit, 0.018 * unit] : [])
    pen.lineCap = 'round'
    pen.beginPath()
    pen.arc(width / 2, height / 2, radius, 0, 2 * Math.PI)
    pen.stroke()
  }
  pen.setLineDash([])
}
