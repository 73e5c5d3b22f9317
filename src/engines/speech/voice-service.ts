import { randomUUID } from 'node:crypto'
import { lstat, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { decodeWav, encodeWav, InvalidWavError } from '../../media/audio/wav.ts'
import type { MonoAudio } from '../../media/speech/speech-types.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { parseServiceAddress } from '../services/address.ts'
import { type ClientOptions, openClient, type ServiceClient } from '../services/client.ts'
import type { ServiceResponse } from '../services/exchange.ts'
import { unexpectedResponse } from '../services/failures.ts'
import { httpErrorCause } from '../services/refusal.ts'
import { serviceName, type VoiceService } from '../services/services.ts'
import { requireService } from '../services/use.ts'
import type { Utterance, VoiceCloner } from './speech-engines.ts'

/** A model may load first; a sentence takes seconds, without a graphics card minutes. */
const voiceServiceLimits = { firstByteMs: 300_000, wholeMs: 600_000, maxBytes: 64 * 2 ** 20 }

/** Below this nobody hears anything: -60 dBFS. */
const inaudibleAmplitude = 0.001

/** A sentence that is being spoken. */
interface SpeechRequest extends Utterance {
  readonly client: ServiceClient
  readonly service: VoiceService
  /** Folder for what a server on this machine is to read. */
  readonly scratch: string
  readonly signal: AbortSignal
}

/** Languages that the voice service speaks, as the contract writes them. */
export function voiceServiceLanguages({ address }: VoiceService): readonly string[] {
  return parseServiceAddress(address).dialect === 'openai' ? openAiLanguages : gptSovitsLanguages
}

/** Opens the voice service that is set; 6401 where none is. */
export function openVoiceService({ scratch, ...options }: ClientOptions & { scratch: string }): VoiceCloner {
  const service = requireService('voice_service')
  // One model, one sentence at a time, unless it is said to do more.
  const client = openClient(
    { kind: 'voice_service', service: { ...service, concurrency: service.concurrency ?? 1 } },
    { ...voiceServiceLimits, ...options },
  )
  const isOpenAi = parseServiceAddress(service.address).dialect === 'openai'
  return {
    name: serviceName(service),
    languages: voiceServiceLanguages(service),
    async speak(utterance, { signal }) {
      const speaking = { ...utterance, client, service, scratch, signal }
      return parseSpeech(
        client,
        await (isOpenAi ? requestOpenAiSpeech(speaking) : requestGptSovits(speaking)),
      )
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** What was spoken; servers answer well and send nothing, silence, or another thing. */
function parseSpeech({ target: told }: ServiceClient, { bytes, type }: ServiceResponse): MonoAudio {
  if (bytes.length === 0) throw unexpectedResponse(told, 'answers without any sound')
  let sound: MonoAudio
  try {
    sound = decodeWav(bytes)
  } catch (error) {
    if (!(error instanceof InvalidWavError)) throw error
    throw unexpectedResponse(
      told,
      `answers sound that ${error.message} (${type || 'of no type'}, ${bytes.length} bytes)`,
    )
  }
  if (sound.samples.some((sample) => Math.abs(sample) > inaudibleAmplitude)) return sound
  throw new MediaError(6401, `${serviceName(told.service)} answers silence`, {
    hint: 'It does so where it failed inside: its log tells more. Try another reference, or a shorter text.',
  })
}

/** What Qwen3-TTS calls languages of ours; other models find it out by themselves. */
const openAiNames: Readonly<Record<string, string>> = {
  'zh-CN': 'Chinese',
  'en-US': 'English',
  'ja-JP': 'Japanese',
  'ko-KR': 'Korean',
}

/** As the contract writes them. */
const openAiLanguages = Object.keys(openAiNames)

/** Asks an OpenAI-compatible /audio/speech that copies voices, by the fields of vLLM-Omni. */
async function requestOpenAiSpeech(speaking: SpeechRequest): Promise<ServiceResponse> {
  const { client, service, text, language, reference, speed, signal } = speaking
  const json = {
    ...(service.model !== undefined && { model: service.model }),
    input: text,
    language: openAiNames[language] ?? 'Auto',
    task_type: 'Base',
    ref_audio: `data:audio/wav;base64,${encodeWav(reference).toString('base64')}`,
    ref_text: reference.text,
    response_format: 'wav',
    // Some models refuse the field, whatever it says.
    ...(speed !== 1 && { speed }),
  }
  return await client.send({ path: '/audio/speech', json, signal })
}

/** What the server calls languages of ours (version 2 and later). */
const gptSovitsNames: Readonly<Record<string, string>> = {
  'zh-CN': 'zh',
  'zh-HK': 'yue',
  'en-US': 'en',
  'ja-JP': 'ja',
  'ko-KR': 'ko',
}

/** As the contract writes them. */
const gptSovitsLanguages = Object.keys(gptSovitsNames)

/** References that this service wrote are named so. */
const referencePrefix = 'reelwright-voice-'
const referenceName = new RegExp(`^${referencePrefix}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.wav$`)

/** A reference this much older than a new one is no longer read by any request, ms. */
const staleReferenceMs = 3_600_000

/** Asks GPT-SoVITS (api_v2). It takes no uploads: the reference has to lie where the server can read it. */
async function requestGptSovits(speaking: SpeechRequest): Promise<ServiceResponse> {
  const { client, text, language, reference, speed, signal } = speaking
  const name = `${referencePrefix}${randomUUID()}.wav`
  const { here, there } = referenceFolders(speaking)
  const file = join(here, name)
  try {
    await writeFile(file, encodeWav(reference)).catch((error: unknown) => {
      throw new MediaError(6401, 'the reference cannot be written into the folder of voice_service', {
        cause: error,
        hint: shareFolder,
      })
    })
    const json = {
      text,
      text_lang: gptSovitsNames[language] ?? 'auto',
      ref_audio_path: `${there.replace(/[/\\]+$/, '')}${there.includes('\\') ? '\\' : '/'}${name}`,
      prompt_text: reference.text,
      prompt_lang: gptSovitsNames[reference.language] ?? 'auto',
      text_split_method: 'cut5',
      batch_size: 1,
      speed_factor: speed,
      media_type: 'wav',
      streaming_mode: false,
    }
    // Another worker may be quicker, or the folder forbid it: to speak does not depend on it.
    await removeStaleReferences(here, name).catch(() => undefined)
    return await client.send({ path: '/tts', json, signal }).catch(rethrowWithHint)
  } finally {
    // What fails is told, not what stays of it: a later reference sweeps it away.
    await rm(file, { force: true }).catch(() => undefined)
  }
}

/** Removes references that a killed worker left, by the clock of the disk that tells when the newest was written. */
async function removeStaleReferences(folder: string, newest: string): Promise<void> {
  const { mtimeMs: now } = await lstat(join(folder, newest))
  const left = (await readdir(folder))
    .filter((name) => referenceName.test(name))
    .map((name) => join(folder, name))
  // One that cannot be removed holds back no other.
  await Promise.allSettled(
    left.map(async (path) => {
      const entry = await lstat(path)
      if (entry.isFile() && now - entry.mtimeMs > staleReferenceMs) await rm(path)
    }),
  )
}

const shareFolder =
  'Set "voice_service" to { "address", "folder", "folder_there" }: a folder that this service writes, and the same ' +
  'one as the voice server sees it.'

/** Every failure inside is a 400, the one of a reference that it cannot read as well. */
function rethrowWithHint(error: unknown): never {
  if (!(error instanceof MediaError) || httpErrorCause(error)?.status !== 400) throw error
  throw new MediaError(6401, error.message, {
    cause: error,
    retryable: false,
    hint: `Where it cannot read the reference: ${shareFolder}`,
  })
}

/** Where the reference is put, and how the server calls that place. */
function referenceFolders({ service, scratch }: SpeechRequest): {
  readonly here: string
  readonly there: string
} {
  const { folder, folder_there: there } = service
  if (folder !== undefined) return { here: folder, there: there ?? folder }
  if (isLoopback(parseServiceAddress(service.address).base.hostname)) return { here: scratch, there: scratch }
  throw new MediaError(6401, `${serviceName(service)} is another machine, and cannot read the reference`, {
    retryable: false,
    hint: shareFolder,
  })
}
