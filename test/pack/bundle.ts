import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'

const root = join(import.meta.dirname, '../..')

/** The part of a bundle's manifest with which a desktop client starts the server. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly tools: readonly { readonly name: string }[]
  readonly user_config: Readonly<Record<string, unknown>>
  readonly server: {
    readonly entry_point: string
    readonly mcp_config: {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  }
}

/** A bundle for desktop clients: its files by name, and its manifest. */
export interface Bundle {
  readonly files: Readonly<Record<string, Uint8Array>>
  readonly manifest: Manifest
}

/** Builds the bundle of this checkout in a folder, and reads it. */
export async function buildBundle(folder: string): Promise<Bundle> {
  const packed = join(folder, 'packed.mcpb')
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'run.mjs'), 'build', 'mcpb', packed])
  const files = unzipSync(await readFile(packed))
  const manifest = JSON.parse(new TextDecoder().decode(files['manifest.json'])) as Manifest
  return { files, manifest }
}
