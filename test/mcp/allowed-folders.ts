import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openAllowedFile } from '../../src/mcp/open-allowed.ts'
import type { Folders } from '../../src/mcp/workspace.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** An allowed folder `inside` and another one, each with a file; removed at the end of the scope. */
export async function createAllowedFolders() {
  const scratch = await temporaryFolder()
  const [inside, outside] = [join(scratch.path, 'inside'), join(scratch.path, 'outside')]
  await mkdir(inside)
  await mkdir(outside)
  await writeFile(join(inside, 'clip.mp4'), 'clip')
  await writeFile(join(outside, 'secret.mp4'), 'secret')
  const folders: Folders = {
    ...{ workspace: inside, allowed: [inside], refused: [], privateFolders: [], isDefault: false },
  }
  return { ...scratch, inside, outside, folders, [Symbol.asyncDispose]: scratch[Symbol.asyncDispose] }
}

/** Opens a file like an agent and returns its text. */
export async function readAllowed(folders: Folders, path: string): Promise<string> {
  const { handle } = await openAllowedFile(folders, path)
  await using opened = handle
  return await opened.readFile('utf8')
}

// The victim may create the folder while it is away, so that any step may fail.
const swapper = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
  const [folder, outside] = process.argv.slice(1)
  const pause = new Int32Array(new SharedArrayBuffer(4))
  const attempt = (step, ...paths) => { try { step(...paths) } catch {} }
  console.log('started')
  for (let turn = 0; ; turn += 1) {
    attempt(renameSync, folder, folder + turn)
    attempt(symlinkSync, outside, folder)
    Atomics.wait(pause, 0, 0, (turn % 5) / 10)
    attempt(unlinkSync, folder)
    attempt(renameSync, folder + turn, folder)
    Atomics.wait(pause, 0, 0, (turn % 7) / 10)
  }`

/** Starts a process that replaces a folder by a link to another one, again and again, until disposal. */
export async function startSwapper(folder: string, outside: string): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, ['-e', swapper, folder, outside], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
