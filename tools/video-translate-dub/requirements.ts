import { spokenLanguage, voiceRequestLanguages } from '../../src/contract/languages.ts'
import type { InputOf, OperationRequirements, RequestFiles } from '../../src/contract/operation.ts'
import type { Requirement } from '../../src/contract/requirement.ts'
import { cloneSpeaker, isBurnedIn, referenceLanguage, type videoTranslateDub } from './contract.ts'

type Input = InputOf<typeof videoTranslateDub>

/** Fields of a request that decide what it requires. */
type RequiringFields = Pick<
  Input,
  'file_id' | 'source_lang' | 'target_lang' | 'speaker' | 'ref_lang' | 'keep_bgm' | 'subtitle'
>

/** A request that does not exist yet: a talk in Chinese, cloned in English, with its music. */
const usual: RequiringFields = {
  ...{ file_id: '', source_lang: 'zh-CN', target_lang: 'en-US', speaker: cloneSpeaker },
  ...{ keep_bgm: true, subtitle: 'soft' },
}

/**
 * Requires the models that find and recognise speech; a language model, unless nothing is translated; an engine for the
 * voice; the separator for music; and the parts of ffmpeg for subtitles and mp3.
 */
export const requirements: OperationRequirements<typeof videoTranslateDub> = (input, files) => {
  const request = input ?? usual
  return [
    ...voiceRequirements(request),
    { kind: 'ffmpeg' },
    { kind: 'pack', name: 'onnx-runtime' },
    { kind: 'pack', name: 'voice-activity' },
    { kind: 'pack', name: 'speaker-segmentation' },
    { kind: 'speech-recogniser', language: request.source_lang },
    ...(request.keep_bgm ? [separator] : []),
    ...(isTranslated(request) ? [{ kind: 'language-model' } as const] : []),
    ...ffmpegRequirements(request, files),
  ]
}

/** Whether source and target differ as spoken languages; else the words stay. */
export function isTranslated({
  source_lang,
  target_lang,
}: Pick<Input, 'source_lang' | 'target_lang'>): boolean {
  return source_lang !== targetLanguage(target_lang)
}

/** The spoken target language: zh-CHS and zh-CHT are zh-CN. */
export function targetLanguage(target_lang: string): string {
  const known = voiceRequestLanguages.find((code) => code === target_lang)
  return known === undefined ? target_lang : spokenLanguage(known)
}

/** What speaks: a voice of the catalogue, or a cloner, with a recogniser for its reference. */
function voiceRequirements(request: RequiringFields): Requirement[] {
  const { speaker, target_lang } = request
  if (speaker !== cloneSpeaker) return [{ kind: 'catalogue-voice', id: speaker, language: target_lang }]
  const reference = spokenLanguage(referenceLanguage(request))
  const language = voiceRequestLanguages.find((code) => code === target_lang) ?? 'zh-CN'
  return [
    { kind: 'voice-cloner', language: spokenLanguage(language), reference },
    ...(reference === request.source_lang
      ? []
      : [{ kind: 'speech-recogniser', language: reference } as const]),
  ]
}

function ffmpegRequirements(
  { subtitle, file_id }: Pick<Input, 'subtitle' | 'file_id'>,
  files?: RequestFiles,
): Requirement[] {
  const isAudio = files !== undefined && !files.get(file_id).facts?.video
  return [...(isAudio ? [mp3Encoder] : []), ...(isBurnedIn(subtitle) ? [subtitleFilter] : [])]
}

const separator: Requirement = {
  kind: 'pack',
  name: 'voice-separation',
  instead: 'With keep_bgm false voice-separation is not needed, and the dub has no music.',
}

const mp3Encoder: Requirement = {
  kind: 'ffmpeg-encoders',
  names: ['libmp3lame'],
  because: 'the dub of audio is an mp3',
  instead: 'give a video',
}

const subtitleFilter: Requirement = {
  kind: 'ffmpeg-filters',
  names: ['ass'],
  because: 'subtitles are drawn by libass',
  instead: 'use subtitle soft',
}
