import { randomUUID } from 'node:crypto'
import { lstat, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import { encodeWav } from '../../media/audio/wav.ts'
import { isLoopback } from '../../platform/loopback.ts'
import { parseServiceAddress } from '../services/address.ts'
import type { ServiceResponse } from '../services/exchange.ts'
import { httpErrorCause } from '../services/refusal.ts'
import { serviceName } from '../services/services.ts'
import type { SpeechRequest } from './service-copier.ts'

/** What the server calls languages of ours (version 2 and later). */
const gptSovitsNames: Readonly<Record<string, string>> = {
  'zh-CN': 'zh',
  'zh-HK': 'yue',
  'en-US': 'en',
  'ja-JP': 'ja',
  'ko-KR': 'ko',
}

/** As the contract writes them. */
export const gptSovitsLanguages = Object.keys(gptSovitsNames)

/** References that this service wrote are named so. */
const referencePrefix = 'reelwright-voice-'
const referenceName = new RegExp(`^${referencePrefix}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.wav$`)

/** A reference this much older than a new one is no longer read by any request, ms. */
const staleReferenceMs = 3_600_000

/** Asks GPT-SoVITS (api_v2). It takes no uploads: the reference has to lie where the server can read it. */
export async function requestGptSovits(speaking: SpeechRequest): Promise<ServiceResponse> {
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
