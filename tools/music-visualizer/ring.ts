import { rectAround, clampToFrame, isWide, type CreateTemplate, type Scene } from './scene.ts'
import { drawRays, clipToCircle } from './radial.ts'
import { drawTextLine, drawTitle, textColours, timeLabels } from './words.ts'

/** Radii as shares of the shorter side. */
const ringRadii = { disc: 0.182, arc: 0.204, rays: 0.226, end: 0.338 }

/** Where the ring and the times are: beside it where there is room, else below. */
function layOutRing(scene: Scene) {
  const { width, height, unit } = scene
  const wide = isWide(scene)
  const [x, y] = [width / 2, height * (wide ? 0.425 : 0.41)]
  const aside = wide ? 0.46 * unit : 0.3 * unit
  return { x, y, aside, timeY: wide ? y + 0.012 * unit : y + (ringRadii.end + 0.055) * unit }
}

/** The spectrum around the cover, with what has passed and what is left. */
export const ring: CreateTemplate = (scene) => {
  const { unit, width, height, palette } = scene
  const { x, y, aside, timeY } = layOutRing(scene)
  const reach = (ringRadii.end + 0.012) * unit
  return {
    region: clampToFrame(
      scene,
      rectAround(x, y, {
        across: Math.max(reach, aside + 0.1 * unit),
        down: Math.max(reach, timeY - y + 0.02 * unit),
      }),
    ),
    showsCover: true,
    drawStill(pen) {
      pen.save()
      pen.shadowColor = 'rgba(0,0,0,0.5)'
      pen.shadowBlur = 0.05 * unit
      pen.fillStyle = 'rgba(0,0,0,0.6)'
      pen.beginPath()
      pen.arc(x, y, ringRadii.disc * unit, 0, 2 * Math.PI)
      pen.fill()
      pen.restore()
      const side = 2 * ringRadii.disc * unit
      clipToCircle(pen, [x, y, ringRadii.disc * unit], () =>
        pen.drawImage(scene.cover, x - side / 2, y - side / 2, side, side),
      )
      pen.strokeStyle = textColours.faint
      pen.lineWidth = 0.004 * unit
      pen.beginPath()
      pen.arc(x, y, ringRadii.arc * unit, 0, 2 * Math.PI)
      pen.stroke()
      const size = 0.056 * unit
      const place = { x: width / 2, width: width - 2 * scene.margin, align: 'center', size } as const
      return drawTitle(pen, scene, {
        ...place,
        y: Math.min(isWide(scene) ? height : timeY + 0.16 * unit, height - scene.margin - 0.75 * size),
      })
    },
    drawMoving(pen, moment) {
      const rays = {
        radius: ringRadii.rays * unit,
        length: (ringRadii.end - ringRadii.rays - 0.008) * unit,
        shortest: 0.004 * unit,
      }
      drawRays(pen, moment, { x, y, ...rays, count: 152, share: 0.5, palette })
      pen.strokeStyle = palette.css(0)
      pen.lineWidth = 0.006 * unit
      pen.lineCap = 'round'
      pen.beginPath()
      const top = -Math.PI / 2
      pen.arc(x, y, ringRadii.arc * unit, top, top + 2 * Math.PI * Math.min(1, moment.time / scene.seconds))
      pen.stroke()
      const { passed, left } = timeLabels(scene, moment.time)
      const look = { size: 0.036 * unit, weight: 500, colour: textColours.soft } as const
      const place = { y: timeY, width: 0.2 * unit, align: 'center' } as const
      drawTextLine(pen, passed, { look, place: { ...place, x: x - aside } })
      drawTextLine(pen, left, { look, place: { ...place, x: x + aside } })
    },
  }
}
