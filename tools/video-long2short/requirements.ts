import { spokenLanguage } from '../../src/contract/languages.ts'
import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { videoLong2short } from './contract.ts'

/**
 * Requires the models that find and recognise speech, unless the request has a transcript. A language model and the one
 * that finds faces are used if there are any.
 */
export const requirements: OperationRequirements<typeof videoLong2short> = (input) => {
  const isGiven = input?.stt !== undefined || input?.subtitle_file_id !== undefined
  const { outputs = ['project'] } = input ?? {}
  const hasPictures = outputs.includes('project') || outputs.includes('video')
  return [
    { kind: 'ffmpeg' },
    ...(isGiven
      ? []
      : [
          { kind: 'pack', name: 'onnx-runtime' } as const,
          { kind: 'pack', name: 'voice-activity' } as const,
          {
            kind: 'speech-recogniser',
            language: spokenLanguage(input?.language ?? 'zh-CN'),
            instead: 'Or pass the transcript: subtitle_file_id (.srt, .ass) or stt.',
          } as const,
        ]),
    ...(hasPictures ? [{ kind: 'pack', name: 'face-detection', recommended: true } as const] : []),
    { kind: 'language-model', optional: true },
  ]
}
