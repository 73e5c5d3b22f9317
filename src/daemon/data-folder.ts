import { access, constants, mkdir } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import { whyUnsafe } from '../platform/folder.ts'

/** Makes the data folder, for this user alone, where there is none; 6401 with the reason when it cannot serve. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  const reason = await whyUnusable(dataDir)
  if (reason === null) return
  throw new MediaError(6401, `the data folder ${dataDir} cannot be used: ${reason}`, {
    retryable: false,
    hint: 'Choose a data folder on a local disk that you can write to.',
  })
}

async function whyUnusable(dataDir: string): Promise<string | null> {
  try {
    const unsafe = await whyUnsafe(dataDir)
    if (unsafe !== null) return unsafe
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await access(dataDir, constants.W_OK)
    return null
  } catch (error) {
    return (error as Error).message
  }
}
