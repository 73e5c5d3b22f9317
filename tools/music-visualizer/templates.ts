import { aurora } from './aurora.ts'
import { bars } from './bars.ts'
import { lissajous } from './lissajous.ts'
import { nowplaying } from './nowplaying.ts'
import { pulsar } from './pulsar.ts'
import { ridge } from './ridge.ts'
import { ring } from './ring.ts'
import type { CreateTemplate } from './scene.ts'
import { shockwave } from './shockwave.ts'
import type { VisualizerInput } from './song.ts'
import { vinyl } from './vinyl.ts'

/** What draws each template. */
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
