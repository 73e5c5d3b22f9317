// Written by `npm run gen` from the folders of tools/.
import type { OperationModule } from '../src/contract/operation.ts'
import { audioLanguageDetect } from './audio-language-detect/contract.ts'
import { audioTtsZeroShot } from './audio-tts-zero-shot/contract.ts'
import { checkParticle } from './check-particle/contract.ts'
import { htmlRenderSimple } from './html-render-simple/contract.ts'
import { imagePurify } from './image-purify/contract.ts'
import { musicVisualizer } from './music-visualizer/contract.ts'
import { pianoAudioEnhance } from './piano-audio-enhance/contract.ts'
import { pianoAudioToMidi } from './piano-audio-to-midi/contract.ts'
import { subtitleTranslate } from './subtitle-translate/contract.ts'
import { videoPurify } from './video-purify/contract.ts'
import { videoSplitScreen } from './video-split-screen/contract.ts'
import { videoTimelineRender } from './video-timeline-render/contract.ts'

/** Every operation that is built; plans and runs are loaded when first used. */
export const operations: readonly OperationModule[] = [
  {
    operation: audioLanguageDetect,
    plan: () => import('./audio-language-detect/plan.ts'),
    run: () => import('./audio-language-detect/run.ts'),
  },
  {
    operation: audioTtsZeroShot,
    plan: () => import('./audio-tts-zero-shot/plan.ts'),
    run: () => import('./audio-tts-zero-shot/run.ts'),
  },
  {
    operation: checkParticle,
    plan: () => import('./check-particle/plan.ts'),
    run: () => import('./check-particle/run.ts'),
  },
  {
    operation: htmlRenderSimple,
    plan: () => import('./html-render-simple/plan.ts'),
    run: () => import('./html-render-simple/run.ts'),
  },
  {
    operation: imagePurify,
    plan: () => import('./image-purify/plan.ts'),
    run: () => import('./image-purify/run.ts'),
  },
  {
    operation: musicVisualizer,
    plan: () => import('./music-visualizer/plan.ts'),
    run: () => import('./music-visualizer/run.ts'),
  },
  {
    operation: pianoAudioEnhance,
    plan: () => import('./piano-audio-enhance/plan.ts'),
    run: () => import('./piano-audio-enhance/run.ts'),
  },
  {
    operation: pianoAudioToMidi,
    plan: () => import('./piano-audio-to-midi/plan.ts'),
    run: () => import('./piano-audio-to-midi/run.ts'),
  },
  {
    operation: subtitleTranslate,
    plan: () => import('./subtitle-translate/plan.ts'),
    run: () => import('./subtitle-translate/run.ts'),
  },
  {
    operation: videoPurify,
    plan: () => import('./video-purify/plan.ts'),
    run: () => import('./video-purify/run.ts'),
  },
  {
    operation: videoSplitScreen,
    plan: () => import('./video-split-screen/plan.ts'),
    run: () => import('./video-split-screen/run.ts'),
  },
  {
    operation: videoTimelineRender,
    plan: () => import('./video-timeline-render/plan.ts'),
    run: () => import('./video-timeline-render/run.ts'),
  },
]
