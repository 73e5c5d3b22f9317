import { aurora, bars, ridge } from './linear-templates.ts'
import { lissajous } from './lissajous.ts'
import { nowplaying } from './nowplaying.ts'
import { pulsar, ring } from './radial-templates.ts'
import type { CreateTemplate } from './scene.ts'
import { shockwave } from './shockwave.ts'
import type { VisualizerInput } from './request.ts'
import { vinyl } from './vinyl.ts'

/** Factory of each template by its id. */
export const templateFactories: Readonly<Record<VisualizerInput['template_id'], CreateTemplate>> = {
  aurora,
  nowplaying,
  ring,
  ridge,
  bars,
  pulsar,
  lissajous,
  vinyl,
  shockwave,
}
