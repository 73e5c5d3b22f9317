import { randomUUID } from 'node:crypto'
import { chmod, lstat, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { decodeWav, encodeWav, InvalidWavError } from '../../media/audio/wav.ts'
import type { MonoAudio } from '../../media/speech/speech-types.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { parseServiceAddress, serviceName, type VoiceService } from '../services/services.ts'
import { type ClientOptions, openClient, type ServiceClient } from '../services/client.ts'
import type { ServiceResponse } from '../services/http-exchange.ts'
import { httpErrorCause, unexpectedResponse } from '../services/failures.ts'
import { requireService } from '../services/configured.ts'
import type { Utterance, VoiceCloner } from './speech-engines.ts'

/** Limits of one request for speech: the model may be loaded first; a sentence takes seconds, or minutes without a GPU. */
export const voiceServiceLimits = { firstByteMs: 300_000, wholeMs: 600_000, maxBytes: 64 * 2 ** 20 }

/** Inaudible amplitude: -60 dBFS. */
const inaudibleAmplitude = 0.001

/** Request to synthesize one sentence. */
interface SpeechRequest extends Utterance {
  readonly client: ServiceClient
  readonly service: VoiceService
  /** Folder from which a server on this machine reads the reference. */
  readonly scratch: string
  readonly signal: AbortSignal
}

/** Contract languages that the voice service supports. */
export function voiceServiceLanguages({ address }: VoiceService): readonly string[] {
  return parseServiceAddress(address).dialect === 'openai' ? openAiLanguages : gptSovitsLanguages
}

/** Opens the configured voice service. Throws 6401 if none is configured. */
export function openVoiceService({ scratch, ...options }: ClientOptions & { scratch: string }): VoiceCloner {
  const service = requireService('voice_service')
  // One sentence at a time, unless a higher concurrency is configured.
  const client = openClient(
    { kind: 'voice_service', service: { ...service, concurrency: service.concurrency ?? 1 } },
    { ...voiceServiceLimits, ...options },
  )
  const isOpenAi = parseServiceAddress(service.address).dialect === 'openai'
  return {
    name: serviceName(service),
    languages: voiceServiceLanguages(service),
    async speak(utterance, { signal }) {
      const request = { ...utterance, client, service, scratch, signal }
      return parseSpeech(client, await (isOpenAi ? requestOpenAiSpeech(request) : requestGptSovits(request)))
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** Error of a voice that responds with silence, for example to a text in which it finds nothing to speak. */
export class SilentSpeechError extends MediaError {}

/**
 * Decodes the speech of a response. Throws 6401 if a successful response contains no sound or other content, as
 * SilentSpeechError if it is silent.
 */
export function parseSpeech({ target }: ServiceClient, { bytes, type }: ServiceResponse): MonoAudio {
  if (bytes.length === 0) throw unexpectedResponse(target, 'responds without sound')
  let sound: MonoAudio
  try {
    sound = decodeWav(bytes)
  } catch (error) {
    if (!(error instanceof InvalidWavError)) throw error
    throw unexpectedResponse(
      target,
      `responds with sound that ${error.message} (${bytes.length} bytes)`,
      `content type ${type || 'missing'}`,
    )
  }
  if (sound.samples.some((sample) => Math.abs(sample) > inaudibleAmplitude)) return sound
  throw new SilentSpeechError(6401, `${serviceName(target.service)} returned silence`, {
    hint: 'This happens after an internal failure: check its log. Try another reference, or a shorter text.',
  })
}

/** Language names of Qwen3-TTS; other models detect the language. */
const openAiNames: Readonly<Record<string, string>> = {
  'zh-CN': 'Chinese',
  'en-US': 'English',
  'ja-JP': 'Japanese',
  'ko-KR': 'Korean',
}

/** As the contract writes them. */
const openAiLanguages = Object.keys(openAiNames)

/** Calls an OpenAI-compatible /audio/speech with voice cloning, with the fields of vLLM-Omni. */
async function requestOpenAiSpeech(request: SpeechRequest): Promise<ServiceResponse> {
  const { client, service, text, language, reference, speed, signal } = request
  const json = {
    ...(service.model !== undefined && { model: service.model }),
    input: text,
    language: openAiNames[language] ?? 'Auto',
    task_type: 'Base',
    ref_audio: `data:audio/wav;base64,${encodeWav(reference).toString('base64')}`,
    ref_text: reference.text,
    response_format: 'wav',
    // Some models reject the field, whatever its value.
    ...(speed !== 1 && { speed }),
  }
  return await client.send({ path: '/audio/speech', json, signal })
}

/** Language names of GPT-SoVITS (version 2 and later). */
const gptSovitsNames: Readonly<Record<string, string>> = {
  'zh-CN': 'zh',
  'zh-HK': 'yue',
  'en-US': 'en',
  'ja-JP': 'ja',
  'ko-KR': 'ko',
}

/** As the contract writes them. */
const gptSovitsLanguages = Object.keys(gptSovitsNames)

/** Prefix of the names of reference files. */
const referencePrefix = 'reelwright-voice-'
const referenceName = new RegExp(`^${referencePrefix}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.wav$`)

/** Age from which no request reads a reference any more, ms. */
const staleReferenceMs = 3_600_000

/** Calls GPT-SoVITS (api_v2). It accepts no uploads: the reference is written where the server can read it. */
async function requestGptSovits(request: SpeechRequest): Promise<ServiceResponse> {
  const { client, text, language, reference, speed, signal } = request
  const name = `${referencePrefix}${randomUUID()}.wav`
  const { localFolder, serverFolder } = referenceFolders(request)
  const file = join(localFolder, name)
  try {
    await writeReference(file, encodeWav(reference)).catch((error: unknown) => {
      throw new MediaError(6401, 'the reference cannot be written to the folder of voice_service', {
        cause: error,
        hint: shareFolder,
      })
    })
    const json = {
      text,
      text_lang: gptSovitsNames[language] ?? 'auto',
      ref_audio_path: `${serverFolder.replace(/[/\\]+$/, '')}${serverFolder.includes('\\') ? '\\' : '/'}${name}`,
      prompt_text: reference.text,
      prompt_lang: gptSovitsNames[reference.language] ?? 'auto',
      text_split_method: 'cut5',
      batch_size: 1,
      speed_factor: speed,
      media_type: 'wav',
      streaming_mode: false,
    }
    // Another worker may remove them first, or the folder may not be listable: not essential.
    await removeStaleReferences(localFolder, name).catch(() => undefined)
    return await client.send({ path: '/tts', json, signal }).catch(rethrowWithHint)
  } finally {
    // A later request removes what is left: do not hide the original error.
    await rm(file, { force: true }).catch(() => undefined)
  }
}

/** Writes a reference that those can read who can read its folder: the server may run as another user. */
async function writeReference(file: string, wav: Uint8Array): Promise<void> {
  await writeFile(file, wav)
  const { mode } = await stat(dirname(file))
  await chmod(file, 0o600 | (mode & 0o044))
}

/** Removes stale references of killed workers. Ages are relative to the newest file, by the clock of the disk. */
async function removeStaleReferences(folder: string, newest: string): Promise<void> {
  const { mtimeMs: now } = await lstat(join(folder, newest))
  const left = (await readdir(folder))
    .filter((name) => referenceName.test(name))
    .map((name) => join(folder, name))
  // One failure does not prevent the removal of others.
  await Promise.allSettled(
    left.map(async (path) => {
      const entry = await lstat(path)
      if (entry.isFile() && now - entry.mtimeMs > staleReferenceMs) await rm(path)
    }),
  )
}

const shareFolder =
  'Set "voice_service" to { "address", "folder", "folder_there" }: a folder that this service can write, and the path ' +
  'of the same folder on the voice server.'

/** Adds a hint to status 400, which the server returns for any failure, including an unreadable reference. */
function rethrowWithHint(error: unknown): never {
  if (!(error instanceof MediaError) || httpErrorCause(error)?.status !== 400) throw error
  throw new MediaError(6401, error.message, {
    cause: error,
    retryable: false,
    hint: `If it cannot read the reference: ${shareFolder}`,
  })
}

/** Folder in which the reference is written, and its path on the server. */
function referenceFolders({ service, scratch }: SpeechRequest): {
  readonly localFolder: string
  readonly serverFolder: string
} {
  const { folder, folder_there } = service
  if (folder !== undefined) return { localFolder: folder, serverFolder: folder_there ?? folder }
  if (isLoopback(parseServiceAddress(service.address).base.hostname))
    return { localFolder: scratch, serverFolder: scratch }
  throw new MediaError(6401, `${serviceName(service)} is on another machine and cannot read the reference`, {
    retryable: false,
    hint: shareFolder,
  })
}
