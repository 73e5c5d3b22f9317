import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '..', '..')
const require = createRequire(import.meta.url)
const manifest = require.resolve('@modelcontextprotocol/inspector/package.json')
const inspector = join(dirname(manifest), 'clients', 'cli', 'build', 'index.js')

test('the Inspector reports no problem in the tools of the real server', async () => {
  await using folder = await temporaryFolder()
  const server = [
    process.execPath,
    join(root, 'src', 'main.ts'),
    'mcp',
    '--data-dir',
    join(folder.path, 'data'),
  ]
  // The Inspector writes files to the home folder.
  const env = { ...process.env, HOME: folder.path, USERPROFILE: folder.path }
  const command = ['--method', 'tools/list', '--strict', '--', ...server]
  // A non-zero exit code rejects: 6 for a schema that some clients do not support.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [inspector, ...command], { env })
  expect(stderr).toBe('')
  const { tools } = JSON.parse(stdout) as { tools: { name: string }[] }
  expect(tools.map(({ name }) => name)).toContain('video_split_screen')
})
