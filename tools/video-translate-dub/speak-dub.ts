import { requireLanguage, voiceRequestLanguages } from '../../src/contract/languages.ts'
import {
  openDubVoice,
  type PreparedVoice,
  prepareDubVoice,
} from '../../src/engines/dubbing/open-dub-voice.ts'
import { speakLines, type SpokenLine } from '../../src/engines/dubbing/speak-lines.ts'
import { translateDub } from '../../src/engines/dubbing/translate-dub.ts'
import { cacheAnswers } from '../../src/engines/language-model/answer-cache.ts'
import type { LanguageModel } from '../../src/engines/language-model/language-model.ts'
import { openLanguageModel } from '../../src/engines/language-model/open.ts'
import type { LanguagePair } from '../../src/engines/translation/languages.ts'
import { requireVoiceInLanguage } from '../../src/engines/voice/catalogue.ts'
import { cloneSpeaker, referenceLanguage } from './contract.ts'
import { type DubJob, stageProgress } from './dub-job.ts'
import type { HeardSource } from './hear-source.ts'
import { isTranslated } from './requirements.ts'

/** The spoken lines of a dub, and what spoke them. */
export interface SpokenDub extends Pick<PreparedVoice, 'references'> {
  readonly lines: readonly SpokenLine[]
  /** Names of the voice engine, and of the language model; null if nothing was translated. */
  readonly voice: string
  readonly translator: string | null
}

interface SpeakDubStages {
  /** Progress when references are selected, lines translated, and lines spoken, percent. */
  readonly prepared: number
  readonly translated: number
  readonly spoken: number
}

/** Translates the lines of a source and speaks them, rewritten where they do not fit their time. */
export async function speakDub(heard: HeardSource, job: DubJob, stages: SpeakDubStages): Promise<SpokenDub> {
  const { input, context, source, notes } = job
  const pair = { from: input.source_lang, to: input.target_lang }
  // A recording that cannot be cloned is rejected before anybody translates its lines.
  const prepared = await prepareVoice(heard, job)
  notes.push(...prepared.notes)
  context.progress(stages.prepared)
  await using model = isTranslated(input) ? await openLanguageModel(context) : undefined
  const answers = model && cacheAnswers(model, context.steps)
  const texts = await lineTexts(heard, {
    ...{ model: answers, pair, signal: context.signal },
    onShare: stageProgress(context, stages.prepared, stages.translated),
  })
  await using voice = await openDubVoice(prepared, context)
  const [min = 1, max = 1] = input.speed_band
  const failures = new Set<string>()
  const lines = await speakLines(heard.lines, texts, {
    ...{ voice, signal: context.signal },
    fit: { band: [min, max], duration: Math.round(source.facts.duration_ms) },
    rewriter: answers && { model: answers, pair, onFailure: ({ message }) => failures.add(message) },
    onShare: stageProgress(context, stages.translated, stages.spoken),
  })
  for (const reason of failures)
    notes.push(`some lines that do not fit their time were not rewritten, because ${reason}`)
  const { references } = prepared
  return { lines, references, voice: voice.name, translator: model?.name ?? null }
}

interface LineTextsOptions {
  /** Translates the lines; undefined if their words stay. */
  readonly model: LanguageModel | undefined
  readonly pair: LanguagePair
  readonly signal: AbortSignal
  readonly onShare: (share: number) => void
}

/** Returns what each line says in the dub. */
async function lineTexts(
  { lines }: HeardSource,
  { model, pair, ...options }: LineTextsOptions,
): Promise<readonly string[]> {
  return model ? await translateDub(lines, pair, { ...options, model }) : lines.map(({ text }) => text)
}

async function prepareVoice(heard: HeardSource, { input, context }: DubJob): Promise<PreparedVoice> {
  const { speaker, target_lang, ref_file_id } = input
  if (speaker !== cloneSpeaker)
    return await prepareDubVoice(requireVoiceInLanguage(speaker, target_lang), heard, context)
  const language = requireLanguage(target_lang, { field: 'target_lang', supported: voiceRequestLanguages })
  const reference = ref_file_id === undefined ? undefined : context.files.get(ref_file_id)
  const chosen = { language, reference, referenceLanguage: referenceLanguage(input) }
  return await prepareDubVoice(chosen, heard, context)
}
