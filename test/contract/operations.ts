import { audioLanguageDetect } from './audio-language-detect.ts'
import { audioTtsZeroShot } from './audio-tts-zero-shot.ts'
import { checkParticle } from './check-particle.ts'
import { htmlRenderSimple } from './html-render-simple.ts'
import { imagePurify } from './image-purify.ts'
import { musicVisualizer } from './music-visualizer.ts'
import { pianoAudioEnhance } from './piano-audio-enhance.ts'
import { pianoAudioToMidi } from './piano-audio-to-midi.ts'
import { subtitleTranslate } from './subtitle-translate.ts'
import type { OperationTables } from './tables.ts'
import { videoPurify } from './video-purify.ts'
import { videoSplitScreen } from './video-split-screen.ts'
import { videoTimelineRender } from './video-timeline-render.ts'

/** The tables of each operation that is built. */
export const operationTables: readonly OperationTables[] = [
  audioLanguageDetect,
  audioTtsZeroShot,
  checkParticle,
  htmlRenderSimple,
  imagePurify,
  musicVisualizer,
  pianoAudioEnhance,
  pianoAudioToMidi,
  subtitleTranslate,
  videoPurify,
  videoSplitScreen,
  videoTimelineRender,
]
