import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleCases } from './soak-size.ts'

const root = dirname(import.meta.dirname)

let copy: string

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'reelwright-gen-'))
  for (const name of ['src', 'tools', 'package.json', 'packaging', 'server.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rm(copy, { recursive: true }))

/** Changes a file of the copy. Returns its original text. */
async function change(file: string, changed: (text: string) => string): Promise<string> {
  const path = join(copy, file)
  const original = await readFile(path, 'utf8')
  await writeFile(path, changed(original))
  return original
}

/** Copies the documents, with one of them changed. */
async function documents(file = 'README.md', changed = (text: string) => text): Promise<void> {
  cpSync(join(root, 'docs'), join(copy, 'docs'), { recursive: true })
  cpSync(join(root, 'README.md'), join(copy, 'README.md'))
  await change(file, changed)
}

/** Runs `npm run gen` in the copy. */
function generate(...args: readonly string[]): Promise<{ code: number; err: string }> {
  return new Promise((resolve) => {
    // Without the shared cache, each run would compile the whole copy again.
    const env = { ...process.env, NODE_COMPILE_CACHE: join(copy, 'compiled') }
    execFile(process.execPath, [join(copy, 'src', 'gen', 'gen.ts'), ...args], { env }, (error, _out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, err }),
    )
  })
}

it('reports outdated documents, schemas and manifests and pages of removed tools, and updates them', async () => {
  await documents()
  const stale = (text: string) => text.replace('| 6011 |', '| 6012 |')
  const original = await change('docs/errors.md', stale)
  await change('docs/tools/get_task.json', (text) => text.replace('"wait_seconds"', '"seconds"'))
  const removedPage = join(copy, 'docs', 'tools', 'video_dance.json')
  await writeFile(removedPage, '{}')
  const version = '9.8.7'
  const manifest = await change('package.json', (text) =>
    text.replace(/"version": ".*"/, `"version": "${version}"`),
  )
  const { code, err } = await generate('--check')
  const files = [
    ...['docs/errors.md', 'docs/tools/get_task.json', 'docs/tools/video_dance.json'],
    ...['packaging/manifest.json', 'server.json'],
  ]
  const messages = files.map((file) => `${file} is out of date; run: npm run gen`)
  expect([code, err.trimEnd().split('\n').toSorted()]).toEqual([1, messages])
  expect(await readFile(join(copy, 'docs/errors.md'), 'utf8')).toBe(stale(original))
  expect(await generate()).toEqual({ code: 0, err: '' })
  expect(await readFile(join(copy, 'docs/errors.md'), 'utf8')).toBe(original)
  await expect(readFile(removedPage)).rejects.toMatchObject({ code: 'ENOENT' })
  for (const file of ['server.json', 'packaging/manifest.json']) {
    expect(JSON.parse(await readFile(join(copy, file), 'utf8'))).toMatchObject({ version })
  }
  expect(await generate('--check')).toEqual({ code: 0, err: '' })
  await change('package.json', () => manifest)
})

const tables = [
  ['README.md', '<!-- gen:operations -->'],
  ['docs/settings.md', '<!-- gen:settings -->'],
  ['docs/errors.md', '<!-- /gen:errors -->'],
  ['docs/contract.md', '<!-- gen:own-errors -->'],
] as const

// All are found by one search.
it.each(sampleCases(tables, 1))('fails if %s has no %s', async (document, marker) => {
  await documents(document, (text) => text.replace(marker, ''))
  const { code, err } = await generate('--check')
  expect(code).toBe(1)
  expect(err).toMatch(new RegExp(`${document} must have .*${marker}`))
})
