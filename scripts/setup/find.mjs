import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const windows = process.platform === 'win32'

/** Folders where package managers put programs without always putting them on PATH; `*` is any name. */
const usualFolders = windows
  ? [
      join(process.env.LOCALAPPDATA ?? '', 'Microsoft', 'WinGet', 'Links'),
      join(process.env.LOCALAPPDATA ?? '', 'Microsoft', 'WinGet', 'Packages', '*', '*', 'bin'),
      join(homedir(), 'scoop', 'shims'),
      join(process.env.ProgramData ?? '', 'chocolatey', 'bin'),
      join(process.env.ProgramFiles ?? '', 'PostgreSQL', '*', 'bin'),
      join(process.env.LOCALAPPDATA ?? '', 'ms-playwright', '*', '*'),
      join(process.env.ProgramFiles ?? '', 'Google', 'Chrome', 'Application'),
      join(process.env['ProgramFiles(x86)'] ?? '', 'Microsoft', 'Edge', 'Application'),
    ]
  : [
      '/opt/homebrew/bin',
      '/usr/local/bin',
      '/home/linuxbrew/.linuxbrew/bin',
      '/opt/homebrew/opt/*/bin',
      '/usr/local/opt/*/bin',
      '/usr/lib/postgresql/*/bin',
      '/usr/lib64/chromium-browser',
      '/Applications/Google Chrome.app/Contents/MacOS',
      join(homedir(), '.cache', 'ms-playwright', '*', '*'),
      join(homedir(), 'Library', 'Caches', 'ms-playwright', '*', '*'),
    ]

function expand(pattern) {
  const [before, ...after] = pattern.split('*')
  if (after.length === 0) return [pattern]
  try {
    return readdirSync(before).flatMap((name) => expand(before + name + after.join('*')))
  } catch {
    return []
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Full path of a program on PATH or in the usual folders; undefined when there is none. */
export function findProgram(name) {
  const onPath = (process.env.PATH ?? process.env.Path ?? '').split(delimiter).filter(Boolean)
  const files = windows ? [`${name}.exe`, `${name}.cmd`] : [name]
  for (const folder of [...onPath, ...usualFolders.flatMap(expand)]) {
    const found = files.map((file) => join(folder, file)).find(isProgram)
    if (found) return found
  }
  return undefined
}
