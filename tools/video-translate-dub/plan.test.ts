import { describe, expect, it } from 'vitest'
import { describePrice } from '../../src/contract/credits.ts'
import { MediaError } from '../../src/contract/errors.ts'
import type { RequestFile } from '../../src/contract/operation.ts'
import { videoTranslateDub } from './contract.ts'
import { plan } from './plan.ts'
import { requirements } from './requirements.ts'

type Facts = NonNullable<RequestFile['facts']>

const sound = { codec: 'aac', channels: 2, sample_rate: 48_000, start_ms: 0, duration_ms: 60_000 }
const facts: Facts = {
  ...{ container: 'mp4', duration_ms: 60_000, size: 1_000_000, bit_rate: 133_000 },
  ...{ video: null, audio: [sound], subtitles: [] },
}
const picture = {
  ...{ codec: 'h264', width: 1280, height: 720, frame_rate: 25, duration_ms: 60_000, start_ms: 0 },
} as unknown as NonNullable<Facts['video']>

interface Source {
  readonly minutes?: number
  readonly isVideo?: boolean
  readonly isSilent?: boolean
}

function fileOf({ minutes = 1, isVideo = true, isSilent = false }: Source, name = 'talk.mp4'): RequestFile {
  const duration_ms = Math.round(minutes * 60_000)
  return {
    ...{ file_id: '1', name, size: 1_000_000, kind: isVideo ? 'video' : 'audio' },
    facts: {
      ...{ ...facts, duration_ms },
      video: isVideo ? picture : null,
      audio: isSilent ? [] : [{ ...sound, duration_ms }],
    },
  }
}

const smallest = { file_id: '1', source_lang: 'zh-CN', target_lang: 'en-US', speaker: 'clone' } as const

interface Request extends Source {
  readonly input?: Readonly<Record<string, unknown>>
  readonly reference?: RequestFile
}

function requestOf({ input, reference, ...source }: Request) {
  const files = { get: (id: string) => (id === '2' && reference ? reference : fileOf(source)) }
  return { input: videoTranslateDub.input.parse({ ...smallest, ...input }), files }
}

/** `fits`, or code and message of the error. */
function planResult(request: Request): string {
  const { input, files } = requestOf(request)
  try {
    plan(input, files)
    return 'fits'
  } catch (error) {
    if (error instanceof MediaError) return `${error.code} ${error.message}`
    throw error
  }
}

describe('plan', () => {
  it.each<[string, Request, string]>([
    ['120 min', { minutes: 120 }, 'fits'],
    [
      'more',
      { minutes: 120 + 1 / 60_000 },
      '6016 file_id: talk.mp4 lasts 120 min 0.001 s, more than 120 min',
    ],
    ['no sound', { isSilent: true }, '6014 file_id: talk.mp4 has no sound'],
    ['3 s', { minutes: 0.05 }, 'fits'],
    [
      'less to clone from',
      { minutes: 0.049 },
      '6016 file_id: talk.mp4 lasts 2.94 s, and a voice is cloned from at least 3 s',
    ],
    ['less with a voice', { minutes: 0.049, input: { speaker: 'mei' } }, 'fits'],
    [
      'less with a reference',
      { minutes: 0.049, input: { ref_file_id: '2' }, reference: fileOf({}, 'voice.wav') },
      'fits',
    ],
    [
      'a reference that is too short',
      { input: { ref_file_id: '2' }, reference: fileOf({ minutes: 0.049 }, 'voice.wav') },
      '6016 ref_file_id: voice.wav lasts 2.94 s, not 3 s to 30 min',
    ],
    [
      'a reference that is too long',
      { input: { ref_file_id: '2' }, reference: fileOf({ minutes: 31 }, 'voice.wav') },
      '6016 ref_file_id: voice.wav lasts 31 min 0 s, not 3 s to 30 min',
    ],
    [
      'a reference without sound',
      { input: { ref_file_id: '2' }, reference: fileOf({ isSilent: true }, 'voice.mp4') },
      '6014 ref_file_id: voice.mp4 has no sound',
    ],
    ['burned-in subtitles', { input: { subtitle: 'burn' } }, 'fits'],
    [
      'burned-in subtitles of audio',
      { isVideo: false, input: { subtitle: 'burn' } },
      '6016 subtitle: talk.mp4 has no picture for burn',
    ],
    [
      'both languages burned into audio',
      { isVideo: false, input: { subtitle: 'bilingual_burn' } },
      '6016 subtitle: talk.mp4 has no picture for bilingual_burn',
    ],
    ['soft subtitles of audio', { isVideo: false, input: { subtitle: 'soft' } }, 'fits'],
  ])('%s', (_, request, result) => {
    expect(planResult(request)).toBe(result)
  })

  it.each([
    [{ project_formats: ['edl'] }, '6016 project_formats[0]: '],
    [{ project_formats: [] }, '6016 project_formats: '],
    [{ project_formats: 'xml' }, '6016 project_formats: '],
    [{ source_path: '' }, '6016 source_path: '],
    [{ source_path: 5 }, '6016 source_path: '],
    [{ source_path: 'a\u0000b' }, '6016 source_path: it contains a control character'],
    [{ local_output_dir: 'x'.repeat(1025) }, '6016 local_output_dir: '],
    [{ struct_meta: 'x' }, '6016 struct_meta: '],
    [{ struct_meta: { nle_draft_dir: '' } }, '6016 struct_meta.nle_draft_dir: '],
  ])('%j is an error for a video, and ignored for audio', (input, message) => {
    expect(planResult({ input })).toContain(message)
    expect(planResult({ input, isVideo: false })).toBe('fits')
  })

  // Document 3, 4.6: 50 credits for a minute, rounded up to whole ones, at least 1.
  it.each([
    [60_000, 50],
    [60_001, 51],
    [90_000, 75],
    [1200, 1],
    [1201, 2],
    [100, 1],
    [7_200_000, 6000],
  ])('%i ms cost %i credits', (ms, credits) => {
    const { input, files } = requestOf({ minutes: ms / 60_000, input: { speaker: 'mei' } })
    expect(plan(input, files).credits).toBe(credits)
  })

  it('the price is described', () => {
    expect(describePrice(videoTranslateDub.price)).toBe('50 credits per minute of the source, at least 1')
  })
})

describe('requirements', () => {
  const kinds = (request: Request) => {
    const { input, files } = requestOf(request)
    return requirements(input, files).map((one) => {
      const { kind, ...rest } = one
      const [first] = Object.values(rest).flat()
      return 'reference' in rest
        ? `${kind} ${rest.language} from ${rest.reference}`
        : `${kind} ${String(first)}`
    })
  }

  it('of a clone are a cloner, a recogniser, a language model and a separator', () => {
    expect(kinds({})).toEqual([
      ...['voice-cloner en-US from zh-CN', 'ffmpeg undefined', 'pack onnx-runtime', 'pack voice-activity'],
      ...['pack speaker-segmentation', 'speech-recogniser zh-CN', 'pack voice-separation'],
      'language-model undefined',
    ])
  })

  it('of a reference in another language are two recognisers', () => {
    const input = { source_lang: 'th-TH', ref_file_id: '2', ref_lang: 'ja-JP', target_lang: 'zh-CHT' }
    expect(kinds({ input })).toEqual(
      expect.arrayContaining([
        ...['voice-cloner zh-CN from ja-JP', 'speech-recogniser ja-JP', 'speech-recogniser th-TH'],
      ]),
    )
  })

  it('of a voice are the voice and its service', () => {
    const found = kinds({ input: { speaker: 'mei', target_lang: 'th-TH', keep_bgm: false } })
    expect(found[0]).toBe('catalogue-voice mei')
    expect(found).not.toContain('pack voice-separation')
    expect(found.join()).not.toContain('voice-cloner')
  })

  it('of equal languages have no language model', () => {
    for (const target_lang of ['zh-CN', 'zh-CHT'])
      expect(kinds({ input: { target_lang } })).not.toContain('language-model undefined')
  })

  it('of burned-in subtitles and of audio are parts of ffmpeg', () => {
    expect(kinds({ input: { subtitle: 'burn' } })).toContain('ffmpeg-filters ass')
    expect(kinds({ isVideo: false })).toContain('ffmpeg-encoders libmp3lame')
    expect(kinds({}).join()).not.toContain('ffmpeg-')
  })

  it('of every request are those of a usual one', () => {
    expect(requirements().map(({ kind }) => kind)).toContain('voice-cloner')
  })
})
