import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleCases } from './soak-size.ts'

const root = dirname(import.meta.dirname)

let copy: string

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'reelwright-gen-'))
  for (const name of ['src', 'tools', 'package.json', 'packaging', 'server.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rm(copy, { recursive: true }))

/** Copies the documents, with one of them changed. */
async function documents(changed: string, change: (text: string) => string): Promise<void> {
  await cp(join(root, 'docs'), join(copy, 'docs'), { recursive: true })
  await cp(join(root, 'README.md'), join(copy, 'README.md'))
  const path = join(copy, changed)
  await writeFile(path, change(await readFile(path, 'utf8')))
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

it('reports an outdated document and updates it', async () => {
  const stale = (text: string) => text.replace('| 6011 |', '| 6012 |')
  await documents('docs/errors.md', stale)
  const original = await readFile(join(root, 'docs/errors.md'), 'utf8')
  const message = 'docs/errors.md is out of date; run: npm run gen\n'
  expect(await generate('--check')).toEqual({ code: 1, err: message })
  expect(await readFile(join(copy, 'docs/errors.md'), 'utf8')).toBe(stale(original))
  expect(await generate()).toEqual({ code: 0, err: '' })
  expect(await readFile(join(copy, 'docs/errors.md'), 'utf8')).toBe(original)
  expect(await generate('--check')).toEqual({ code: 0, err: '' })
})

it('writes a changed schema, and removes pages of removed tools', async () => {
  await documents('docs/tools/get_task.json', (text) => text.replace('"wait_seconds"', '"seconds"'))
  const removedPage = join(copy, 'docs', 'tools', 'video_dance.json')
  await writeFile(removedPage, '{}')
  const { code, err } = await generate('--check')
  expect([code, err]).toEqual([1, expect.stringContaining('docs/tools/get_task.json is out of date')])
  expect(err).toContain('docs/tools/video_dance.json is out of date')
  expect(await generate()).toEqual({ code: 0, err: '' })
  await expect(readFile(removedPage)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await generate('--check')).toEqual({ code: 0, err: '' })
})

it('keeps the manifests consistent with package.json', async () => {
  await documents('README.md', (text) => text)
  const version = '9.8.7'
  const manifest = join(copy, 'package.json')
  const original = await readFile(manifest, 'utf8')
  await writeFile(manifest, original.replace(/"version": ".*"/, `"version": "${version}"`))
  const { err } = await generate('--check')
  expect(err.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'server.json',
    'packaging/manifest.json',
    '',
  ])
  await generate()
  for (const file of ['server.json', 'packaging/manifest.json']) {
    expect(JSON.parse(await readFile(join(copy, file), 'utf8'))).toMatchObject({ version })
  }
  await writeFile(manifest, original)
  await generate()
})

const tables = [
  ['README.md', '<!-- gen:operations -->'],
  ['docs/settings.md', '<!-- gen:settings -->'],
  ['docs/errors.md', '<!-- /gen:errors -->'],
  ['docs/contract.md', '<!-- gen:own-errors -->'],
] as const

it.each(sampleCases(tables))('fails if %s has no %s', async (document, marker) => {
  await documents(document, (text) => text.replace(marker, ''))
  const { code, err } = await generate('--check')
  expect(code).toBe(1)
  expect(err).toMatch(new RegExp(`${document} must have .*${marker}`))
})
