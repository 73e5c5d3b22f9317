import { configureServices } from '../../src/engines/services/configured.ts'
import type { Services } from '../../src/engines/services/services.ts'
import { resample } from '../../src/media/audio/resample.ts'
import { decodeWav, encodeWav } from '../../src/media/audio/wav.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { distributeTime, isSpaceless, joinWords, splitWords } from '../../src/media/speech/words.ts'
import {
  bytes,
  fails,
  json,
  type FakeService,
  type Reply,
  startFakeService,
} from '../engines/services/fake-service.ts'
import { soundFinder } from '../recordings/find-sound.ts'
import { speak } from '../recordings/speak.ts'
import {
  hear,
  receivedSound,
  type RecogniserErrors,
  transcription,
} from '../recordings/stand-in-recogniser.ts'
import { deliveryOf, type Dialogue, type DialogueSpeaker } from './dialogue.ts'

/**
 * What a voice service does wrong: it holds its response until `release`, responds with status 400, speaks the text twice,
 * returns silence, speaks half or three times as fast, or leaves out every second word.
 */
export type VoiceFault = 'slow' | 'refuse' | 'repeat' | 'silence' | 'long' | 'short' | 'drop'

/** A request for speech. */
export interface SpokenRequest {
  readonly text: string
  /** Number of earlier requests for this text. */
  readonly attempt: number
  /** Name of the voice; absent if the voice of a reference is cloned. */
  readonly voice?: string
  /** Speaker of the dialogue whose voice is cloned. */
  readonly speaker?: DialogueSpeaker
}

/** A voice service by espeak-ng and a transcription service that knows the dialogue and what the voice service said. */
export interface SpokenServices extends AsyncDisposable {
  readonly voice: FakeService
  readonly recogniser: FakeService
  /** Settings with both services. */
  readonly settings: Services
  /** Requests for speech, in order. */
  readonly requests: readonly SpokenRequest[]
  /** Returns what goes wrong with a request. Default: nothing. */
  faultOf: (request: SpokenRequest) => VoiceFault | undefined
  /** Sends the responses that are held, and holds no more. */
  release(): void
}

/** Voices of espeak-ng by the names of languages in requests. */
const voicesByLanguage: Readonly<Record<string, string>> = {
  Chinese: 'cmn',
  English: 'en-us',
  Japanese: 'ja',
  Korean: 'ko',
}

/** Starts both services for one or more dialogues and configures them for this process. */
export async function startSpokenServices(
  dialogues: readonly [Dialogue, ...Dialogue[]],
  errors: RecogniserErrors = {},
): Promise<SpokenServices> {
  const requests: SpokenRequest[] = []
  const spoken: SpokenClip[] = []
  const held = Promise.withResolvers<void>()
  const known = dialogues.map((dialogue) => ({ dialogue, find: soundFinder(dialogue.samples) }))
  const locate = (sound: Float32Array): LocatedSound | undefined => {
    for (const { dialogue, find } of known) {
      const start = find(sound)
      if (start !== null) return { dialogue, start }
    }
    return undefined
  }
  /** Speakers by the references of requests: many requests have the same one. */
  const speakers = new Map<string | undefined, DialogueSpeaker>()
  const clonedSpeaker = (body: SpeechBody): DialogueSpeaker => {
    const speaker = speakers.get(body.ref_audio) ?? speakerOf(referenceOf(body), locate)
    speakers.set(body.ref_audio, speaker)
    return speaker
  }
  const replyWithSpeech: Reply = async (response, received) => {
    if (!received.path.endsWith('/audio/speech')) return fails(404)(response, received)
    const body = JSON.parse(String(received.body)) as SpeechBody
    const attempt = requests.filter(({ text }) => text === body.input).length
    const of = body.voice === undefined ? { speaker: clonedSpeaker(body) } : { voice: body.voice }
    const request = { text: body.input, attempt, ...of }
    requests.push(request)
    const fault = services.faultOf(request)
    if (fault === 'refuse') return fails(400, { error: 'unsupported text' })(response, received)
    if (fault === 'slow') await held.promise
    const clip = await speakRequest(request, body, fault)
    spoken.push(clip)
    await bytes(encodeWav({ samples: clip.samples, rate: speechRate }), 'audio/wav')(response, received)
  }
  const replyWithTranscript: Reply = (response, received) => {
    const sound = receivedSound(received.body)
    if (!sound || !received.path.endsWith('/audio/transcriptions')) return fails(404)(response, received)
    const seconds = sound.length / speechRate
    const said = spoken.findLast((clip) => isSameSound(clip.samples, sound))
    const { dialogue, start } = (said ? undefined : locate(sound)) ?? { start: 0 }
    const words = said
      ? distributeTime(said.text, { start: 0, end: seconds }).map((word) => ({ ...word, mark: '' }))
      : dialogue
        ? hear(dialogue.truth, { start, end: start + seconds }, errors)
        : []
    const { language } = (dialogue ?? dialogues[0]).truth
    const heard = transcription(words, { language, start, seconds })
    const segments = heard.segments.map((segment) => ({ ...segment, avg_logprob: -0.05 }))
    return json({ ...heard, ...(said && { text: said.text }), segments })(response, received)
  }
  const [voice, recogniser] = [
    await startFakeService(replyWithSpeech),
    await startFakeService(replyWithTranscript),
  ]
  const settings = {
    voice_service: { address: `openai+${voice.origin}/v1`, model: 'espeak' },
    transcription: { address: `${recogniser.origin}/v1`, model: 'parrot' },
  }
  const services: SpokenServices = {
    ...{ voice, recogniser, settings, requests },
    faultOf: () => undefined,
    release: () => held.resolve(),
    async [Symbol.asyncDispose]() {
      configureServices({})
      held.resolve()
      await voice[Symbol.asyncDispose]()
      await recogniser[Symbol.asyncDispose]()
    },
  }
  configureServices(settings)
  return services
}

/** A request to /audio/speech: with a reference (the fields of vLLM-Omni), or with the name of a voice. */
interface SpeechBody {
  readonly input: string
  readonly voice?: string
  readonly language?: string
  readonly ref_audio?: string
  readonly speed?: number
}

/** Speech that was returned, and its words. Mono, 16 kHz. */
interface SpokenClip {
  readonly text: string
  readonly samples: Float32Array
}

function referenceOf({ ref_audio: audio = '' }: SpeechBody): Float32Array {
  const [, base64 = ''] = audio.split('base64,')
  return resample(decodeWav(Buffer.from(base64, 'base64')), speechRate)
}

/** A part of a dialogue, and where it starts, seconds. */
interface LocatedSound {
  readonly dialogue: Dialogue
  readonly start: number
}

/** Returns who speaks in a part of a dialogue; the first speaker if it is no part of one. */
function speakerOf(
  sound: Float32Array,
  locate: (sound: Float32Array) => LocatedSound | undefined,
): DialogueSpeaker {
  const located = locate(sound)
  if (!located) return 0
  const middle = located.start + sound.length / speechRate / 2
  const distance = ({ start, end }: Dialogue['turns'][number]) => Math.max(start - middle, middle - end)
  return located.dialogue.turns.toSorted((one, other) => distance(one) - distance(other))[0]?.speaker ?? 0
}

async function speakRequest(
  { text, voice, speaker = 0 }: SpokenRequest,
  { language = '', speed = 1 }: SpeechBody,
  fault: VoiceFault | undefined,
): Promise<SpokenClip> {
  if (fault === 'silence') return { text: '', samples: new Float32Array(speechRate) }
  const said = fault === 'repeat' ? `${text} ${text}` : fault === 'drop' ? everySecondWord(text) : text
  const delivery = deliveryOf(speaker, voice ?? voicesByLanguage[language] ?? 'en-us')
  const pace = speed * (fault === 'long' ? 1 / 2 : fault === 'short' ? 3 : 1)
  return { text: said, samples: await speak(said, { ...delivery, speed: Math.round(delivery.speed * pace) }) }
}

function everySecondWord(text: string): string {
  const words = splitWords(text).filter((_, index) => index % 2 === 0)
  return isSpaceless(text) ? words.join('') : joinWords(words)
}

/** Largest difference of the lengths of equal sounds, samples: silence at the ends may be missing. */
const lengthTolerance = 0.5 * speechRate

function isSameSound(one: Float32Array, other: Float32Array): boolean {
  if (Math.abs(one.length - other.length) > lengthTolerance) return false
  const [long, short] = one.length >= other.length ? [one, other] : [other, one]
  return soundFinder(long)(short) !== null
}
