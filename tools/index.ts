// Written by `npm run gen` from the folders of tools/.
import type { OperationModule } from '../src/contract/operation.ts'
import { audioLanguageDetect } from './audio-language-detect/contract.ts'
import { audioTtsZeroShot } from './audio-tts-zero-shot/contract.ts'
import { checkParticle } from './check-particle/contract.ts'
import { htmlRenderSimple } from './html-render-simple/contract.ts'
import { imagePurify } from './image-purify/contract.ts'
import { materialDescribe } from './material-describe/contract.ts'
import { materialEmbed } from './material-embed/contract.ts'
import { materialSearch } from './material-search/contract.ts'
import { musicVisualizer } from './music-visualizer/contract.ts'
import { pianoAudioEnhance } from './piano-audio-enhance/contract.ts'
import { pianoAudioToMidi } from './piano-audio-to-midi/contract.ts'
import { subtitleTranslate } from './subtitle-translate/contract.ts'
import { videoLong2short } from './video-long2short/contract.ts'
import { videoLong2shortPro } from './video-long2short-pro/contract.ts'
import { videoOralCut } from './video-oral-cut/contract.ts'
import { videoPurify } from './video-purify/contract.ts'
import { videoSplitScreen } from './video-split-screen/contract.ts'
import { videoTimelineRender } from './video-timeline-render/contract.ts'
import { videoTranslateDub } from './video-translate-dub/contract.ts'

/** Every operation that is built; plans and runs are loaded when first used. */
export const operations: readonly OperationModule[] = [
  {
    operation: audioLanguageDetect,
    requirements: () => import('./audio-language-detect/requirements.ts'),
    plan: () => import('./audio-language-detect/plan.ts'),
    run: () => import('./audio-language-detect/run.ts'),
  },
  {
    operation: audioTtsZeroShot,
    requirements: () => import('./audio-tts-zero-shot/requirements.ts'),
    plan: () => import('./audio-tts-zero-shot/plan.ts'),
    run: () => import('./audio-tts-zero-shot/run.ts'),
  },
  {
    operation: checkParticle,
    requirements: () => import('./check-particle/requirements.ts'),
    plan: () => import('./check-particle/plan.ts'),
    run: () => import('./check-particle/run.ts'),
  },
  {
    operation: htmlRenderSimple,
    requirements: () => import('./html-render-simple/requirements.ts'),
    plan: () => import('./html-render-simple/plan.ts'),
    run: () => import('./html-render-simple/run.ts'),
  },
  {
    operation: imagePurify,
    requirements: () => import('./image-purify/requirements.ts'),
    plan: () => import('./image-purify/plan.ts'),
    run: () => import('./image-purify/run.ts'),
  },
  {
    operation: materialDescribe,
    requirements: () => import('./material-describe/requirements.ts'),
    plan: () => import('./material-describe/plan.ts'),
    run: () => import('./material-describe/run.ts'),
  },
  {
    operation: materialEmbed,
    requirements: () => import('./material-embed/requirements.ts'),
    plan: () => import('./material-embed/plan.ts'),
    run: () => import('./material-embed/run.ts'),
  },
  {
    operation: materialSearch,
    requirements: () => import('./material-search/requirements.ts'),
    plan: () => import('./material-search/plan.ts'),
    run: () => import('./material-search/run.ts'),
  },
  {
    operation: musicVisualizer,
    requirements: () => import('./music-visualizer/requirements.ts'),
    plan: () => import('./music-visualizer/plan.ts'),
    run: () => import('./music-visualizer/run.ts'),
  },
  {
    operation: pianoAudioEnhance,
    requirements: () => import('./piano-audio-enhance/requirements.ts'),
    plan: () => import('./piano-audio-enhance/plan.ts'),
    run: () => import('./piano-audio-enhance/run.ts'),
  },
  {
    operation: pianoAudioToMidi,
    requirements: () => import('./piano-audio-to-midi/requirements.ts'),
    plan: () => import('./piano-audio-to-midi/plan.ts'),
    run: () => import('./piano-audio-to-midi/run.ts'),
  },
  {
    operation: subtitleTranslate,
    requirements: () => import('./subtitle-translate/requirements.ts'),
    plan: () => import('./subtitle-translate/plan.ts'),
    textPlan: new URL('./subtitle-translate/plan', import.meta.url),
    run: () => import('./subtitle-translate/run.ts'),
  },
  {
    operation: videoLong2short,
    requirements: () => import('./video-long2short/requirements.ts'),
    plan: () => import('./video-long2short/plan.ts'),
    run: () => import('./video-long2short/run.ts'),
  },
  {
    operation: videoLong2shortPro,
    requirements: () => import('./video-long2short-pro/requirements.ts'),
    plan: () => import('./video-long2short-pro/plan.ts'),
    run: () => import('./video-long2short-pro/run.ts'),
  },
  {
    operation: videoOralCut,
    requirements: () => import('./video-oral-cut/requirements.ts'),
    plan: () => import('./video-oral-cut/plan.ts'),
    run: () => import('./video-oral-cut/run.ts'),
  },
  {
    operation: videoPurify,
    requirements: () => import('./video-purify/requirements.ts'),
    plan: () => import('./video-purify/plan.ts'),
    textPlan: new URL('./video-purify/plan', import.meta.url),
    run: () => import('./video-purify/run.ts'),
  },
  {
    operation: videoSplitScreen,
    requirements: () => import('./video-split-screen/requirements.ts'),
    plan: () => import('./video-split-screen/plan.ts'),
    run: () => import('./video-split-screen/run.ts'),
  },
  {
    operation: videoTimelineRender,
    requirements: () => import('./video-timeline-render/requirements.ts'),
    plan: () => import('./video-timeline-render/plan.ts'),
    run: () => import('./video-timeline-render/run.ts'),
  },
  {
    operation: videoTranslateDub,
    requirements: () => import('./video-translate-dub/requirements.ts'),
    plan: () => import('./video-translate-dub/plan.ts'),
    run: () => import('./video-translate-dub/run.ts'),
  },
]
