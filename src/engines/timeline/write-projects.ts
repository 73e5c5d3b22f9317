import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunContext } from '../../contract/operation.ts'
import type { ProjectFormat, ResultFile } from '../../contract/project.ts'
import { projectFiles } from '../../media/timeline/project/project-files.ts'
import type { Project } from '../../media/timeline/project/project.ts'

interface WriteProjectsOptions extends Pick<RunContext, 'scratch' | 'keep'> {
  /** Default: xml. */
  readonly project_formats?: readonly ProjectFormat[] | undefined
  readonly struct_meta?: { readonly nle_draft_dir?: string | undefined } | undefined
  /** Start of the names of files, so that those of several projects differ. Default: none. */
  readonly prefix?: string
}

/**
 * Writes a project in each format once, and keeps the files. The files of drafts have fixed names in their editor, which
 * `filename` states; with a prefix users see them under longer ones.
 */
export async function writeProjects(
  project: Project,
  { project_formats: formats = ['xml'], struct_meta, scratch, keep, prefix = '' }: WriteProjectsOptions,
): Promise<ResultFile[]> {
  const options = {
    draftDir: struct_meta?.nle_draft_dir,
    createdAt: Date.now() * 1000,
    newId: () => randomUUID().toUpperCase(),
  }
  const files: ResultFile[] = []
  for (const one of new Set(formats)) {
    for (const { format, filename, text } of projectFiles(project, one, options)) {
      const path = join(scratch, `${prefix}${format}-project`)
      await writeFile(path, text)
      const name = filename.startsWith(prefix) ? filename : `${prefix}${one}_${filename}`
      files.push({ type: 'project', format, ...keep({ path, name }), filename })
    }
  }
  return files
}
