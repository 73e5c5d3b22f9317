import { execFile } from 'node:child_process'
import { chmod, copyFile, link } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../mcp/temporary-folder.ts'
import { isOpenToOthers, nobody } from '../../open-to-others.ts'
import { lacksBrowser } from './play.ts'
import type { RendererReport } from './report-sandbox.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, 'report-sandbox.ts')

it.skipIf(lacksBrowser || process.platform !== 'linux')(
  'a normal user gets the sandbox of the browser: particles have no access to the system',
  async ({ skip }) => {
    if (!(await isOpenToOthers(script))) skip('other users cannot read this checkout')
    await using folder = await temporaryFolder()
    await chmod(folder.path, 0o777)
    // The folder of the program may be closed to others.
    const program = join(folder.path, 'node')
    await link(process.execPath, program).catch(() => copyFile(process.execPath, program))
    const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
    const env = { PATH: process.env['PATH'], HOME: folder.path, TMPDIR: folder.path }
    const { stdout } = await run(program, [script], { ...user, env, cwd: folder.path })
    const renderers = JSON.parse(stdout) as RendererReport[]
    expect(renderers.length).toBeGreaterThan(0)
    for (const renderer of renderers)
      expect(renderer).toEqual({ hasSandboxFlag: true, seccomp: '2', isNamespaced: true })
  },
)
