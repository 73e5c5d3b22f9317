import type { Pen } from '../../src/engines/canvas/load.ts'
import { recentBeats } from '../../src/media/audio/onsets.ts'
import { drawRays } from './radial.ts'
import { rectAround, clampToFrame, type CreateTemplate, type Scene } from './scene.ts'
import { drawTextLine, drawTitle, textColours, timeLabels } from './words.ts'

/** Radii as shares of the shorter side. */
const pulsarRadii = { core: 0.135, rays: 0.165, rayEnd: 0.33, end: 0.41 }

/** Time from a beat until its ring is gone, seconds. */
const pulseSeconds = 1.1

/** Rays of the spectrum, a ring that runs out from the middle on every beat, and the time in the middle. */
export const pulsar: CreateTemplate = (scene) => {
  const { unit, width, height, palette } = scene
  const [x, y] = [width / 2, height * 0.445]
  return {
    region: clampToFrame(scene, rectAround(x, y, { across: (pulsarRadii.end + 0.01) * unit })),
    drawStill(pen) {
      const size = 0.054 * unit
      const place = { x: width / 2, width: width - 2 * scene.margin, align: 'center', size } as const
      const below = y + (pulsarRadii.end + 0.05) * unit
      return drawTitle(pen, scene, {
        ...place,
        y: Math.min(below + 0.6 * size, height - scene.margin - 0.75 * size),
      })
    },
    drawMoving(pen, moment) {
      for (const beat of recentBeats(scene.profile.beats, moment.time, pulseSeconds)) {
        drawPulse(pen, scene, { x, y, age: moment.time - beat.at, strength: beat.strength })
      }
      const glow = pen.createRadialGradient(x, y, 0, x, y, pulsarRadii.core * unit * (1 + 0.12 * moment.bass))
      glow.addColorStop(0, palette.css(0, 0.1 + 0.24 * moment.bass))
      glow.addColorStop(0.7, palette.css(0.4, 0.06 + 0.14 * moment.bass))
      glow.addColorStop(1, palette.css(0.6, 0))
      pen.fillStyle = glow
      pen.beginPath()
      pen.arc(x, y, pulsarRadii.core * unit * (1 + 0.12 * moment.bass), 0, 2 * Math.PI)
      pen.fill()
      const rays = {
        radius: pulsarRadii.rays * unit,
        length: (pulsarRadii.rayEnd - pulsarRadii.rays) * unit,
        shortest: 0.003 * unit,
      }
      drawRays(pen, moment, { x, y, ...rays, count: 180, share: 0.36, palette })
      const look = { size: 0.078 * unit, weight: 600, colour: textColours.strong } as const
      const place = { x, y: y + 0.028 * unit, width: 1.9 * pulsarRadii.core * unit, align: 'center' } as const
      drawTextLine(pen, timeLabels(scene, moment.time).passed, { look, place })
    },
  }
}

interface Pulse {
  readonly x: number
  readonly y: number
  readonly age: number
  readonly strength: number
}

function drawPulse(pen: Pen, { unit, palette }: Scene, { x, y, age, strength }: Pulse): void {
  const passed = Math.max(0, age) / pulseSeconds
  const out = 1 - (1 - passed) ** 2.4
  pen.strokeStyle = palette.css(out, (0.35 + 0.55 * strength) * Math.max(0, 1 - passed) ** 1.4)
  pen.lineWidth = (0.0085 - 0.0065 * out) * unit
  pen.beginPath()
  pen.arc(x, y, (pulsarRadii.rays + (pulsarRadii.end - pulsarRadii.rays) * out) * unit, 0, 2 * Math.PI)
  pen.stroke()
}
