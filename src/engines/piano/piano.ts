import { readFile } from 'node:fs/promises'
import type { BasicSoundBank } from 'spessasynth_core'
import { MediaError } from '../../contract/errors.ts'
import { requirePack, resolvePack } from '../packs/resolve.ts'

/** A sampled piano. */
export interface Piano {
  /** Name reported in results. */
  readonly name: string
  readonly bank: BasicSoundBank
  /** Attribution that its licence requires in rendered files. */
  readonly credit?: string
}

const salamanderCredit =
  'Played on the Salamander Grand Piano by Alexander Holm (https://archive.org/details/SalamanderGrandPianoV3), ' +
  'CC BY 3.0 (https://creativecommons.org/licenses/by/3.0/)'

/**
 * Opens the sampled grand piano if it is installed or can be downloaded, else the small SoundFont. Throws 6401 for the
 * grand piano, which readiness names, if it can be obtained in principle but neither is installed or downloaded.
 */
export async function openPiano(signal: AbortSignal): Promise<Piano> {
  if (!(await isObtainable('piano-samples'))) return await openSoundFont(signal)
  try {
    const folder = await resolvePack('piano-samples', { signal })
    // Loaded lazily: the service process only checks whether the pack is available.
    const { loadSampledPiano: sampledPiano } = await import('./synthesizer.ts')
    return { name: 'salamander', bank: await sampledPiano(folder), credit: salamanderCredit }
  } catch (error) {
    // The machine may be offline.
    signal.throwIfAborted()
    if (!(error instanceof MediaError)) throw error
    return await openSoundFont(signal).catch((failure: unknown) => {
      throw failure instanceof MediaError ? error : failure
    })
  }
}

async function openSoundFont(signal: AbortSignal): Promise<Piano> {
  const path = await resolvePack('piano-soundfont', { signal })
  return { name: 'florestan', bank: await readSoundFont(path) }
}

/** Throws 6401 if no piano sound is installed and none can be downloaded. */
export async function requirePiano(): Promise<void> {
  if (!(await isObtainable('piano-samples'))) await requirePack('piano-soundfont')
}

/** Loads a SoundFont file. */
export async function readSoundFont(path: string): Promise<BasicSoundBank> {
  const { SoundBankLoader } = await import('spessasynth_core')
  return SoundBankLoader.fromArrayBuffer(new Uint8Array(await readFile(path)).buffer)
}

async function isObtainable(name: 'piano-samples'): Promise<boolean> {
  try {
    await requirePack(name)
    return true
  } catch (error) {
    if (error instanceof MediaError && error.code === 6401) return false
    throw error
  }
}
