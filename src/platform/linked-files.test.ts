import {
  link,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { containsFile } from './linked-files.ts'

async function temporary(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'reelwright-linked-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const identityOf = (path: string) => stat(path, { bigint: true })

test('finds a hard link at any depth, but follows no symbolic link', async () => {
  const root = await temporary()
  const [inside, outside] = [join(root, 'inside'), join(root, 'outside')]
  await mkdir(join(inside, 'a/b'), { recursive: true })
  await mkdir(outside)
  for (const path of [join(inside, 'a/b/deep'), join(outside, 'user')]) await writeFile(path, '')
  await link(join(inside, 'a/b/deep'), join(outside, 'linked'))
  await link(join(outside, 'user'), join(outside, 'same'))
  await symlink(outside, join(inside, 'a/to-outside'))
  const folder = {}
  expect(await containsFile(folder, inside, await identityOf(join(outside, 'linked')))).toBe(true)
  expect(await containsFile(folder, inside, await identityOf(join(outside, 'user')))).toBe(false)
  expect(await containsFile(folder, join(root, 'missing'), await identityOf(join(outside, 'user')))).toBe(
    false,
  )
})

test('finds what later searches would find in a folder that was never read, after any changes', async () => {
  const names = fc.constantFrom('a', 'b', 'a/c', 'a/d', 'b/c', 'x', 'a/c/y')
  const step = fc.record({
    kind: fc.constantFrom('write', 'folder', 'remove', 'rename'),
    name: names,
    to: names,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const root = await temporary()
      const inside = join(root, 'inside')
      await mkdir(inside)
      const folder = {}
      const links: string[] = []
      for (const { kind, name, to } of steps) {
        const path = join(inside, name)
        const linked = join(root, `link-${links.length}`)
        const change = {
          folder: () => mkdir(path),
          remove: () => rm(path, { recursive: true }),
          rename: () => rename(path, join(inside, to)),
          async write() {
            await unlink(path).catch(() => undefined)
            await writeFile(path, '')
            await link(path, linked)
            links.push(linked)
          },
        }[kind]
        await change().catch(() => undefined)
        for (const each of links) {
          const file = await identityOf(each)
          expect(await containsFile(folder, inside, file)).toBe(await containsFile({}, inside, file))
          // Each link is a name outside: any further name is inside.
          expect(await containsFile(folder, inside, file)).toBe(file.nlink > 1n)
        }
      }
    }),
    { numRuns: 40 },
  )
})
