import { checkParticle } from './check-particle.ts'
import { htmlRenderSimple } from './html-render-simple.ts'
import { imagePurify } from './image-purify.ts'
import { musicVisualizer } from './music-visualizer.ts'
import { pianoAudioToMidi } from './piano-audio-to-midi.ts'
import type { OperationTables } from './tables.ts'
import { videoPurify } from './video-purify.ts'
import { videoSplitScreen } from './video-split-screen.ts'
import { videoTimelineRender } from './video-timeline-render.ts'

/** The tables of each operation that is built. */
export const operationTables: readonly OperationTables[] = [
  checkParticle,
  htmlRenderSimple,
  imagePurify,
  musicVisualizer,
  pianoAudioToMidi,
  videoPurify,
  videoSplitScreen,
  videoTimelineRender,
]
