import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let repository: string

beforeEach(async () => {
  repository = await mkdtemp(join(tmpdir(), 'dropbell-boundaries-'))
  await cp('.dependency-cruiser.cjs', join(repository, '.dependency-cruiser.cjs'))
  await writeFile(join(repository, 'tsconfig.json'), '{}')
  await writeFile(join(repository, 'package.json'), '{}')
})
afterEach(() => rm(repository, { recursive: true }))

const cruise = async (files: Record<string, string>): Promise<string> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(repository, path)), { recursive: true })
    await writeFile(join(repository, path), content)
  }
  const args = ['--config', '.dependency-cruiser.cjs', '{packages,services}/**/*.ts']
  return new Promise((done) =>
    execFile(resolve('node_modules/.bin/depcruise'), args, { cwd: repository }, (_error, stdout) => done(stdout)),
  )
}

const module = 'export const value = 1\n'
const importing = (path: string): string => `import { value } from '${path}'\nexport const other = value\n`

describe('the boundary check', () => {
  it('is content with a service that uses a package', async () => {
    const output = await cruise({
      'services/bell/src/main.ts': importing('../../../packages/shared/src/log.ts'),
      'packages/shared/src/log.ts': module,
    })
    expect(output).toContain('no dependency violations found')
  })

  it.each([
    [
      'a service that imports another',
      'services-meet-in-kafka-and-postgres',
      { 'services/a/src/main.ts': importing('../../b/src/main.ts'), 'services/b/src/main.ts': module },
    ],
    [
      'a mechanism that imports the business',
      'shared-knows-no-business',
      {
        'packages/shared/src/log.ts': importing('../../schemas/src/price.ts'),
        'packages/schemas/src/price.ts': module,
      },
    ],
    [
      'a cycle',
      'no-cycles',
      {
        'packages/shared/src/a.ts': `import { b } from './b.ts'\nexport const a = () => b\n`,
        'packages/shared/src/b.ts': `import { a } from './a.ts'\nexport const b = () => a\n`,
      },
    ],
    [
      'production code that starts engines',
      'local-stack-is-for-development',
      {
        'services/a/src/main.ts': importing('../../../packages/local-stack/src/stack.ts'),
        'packages/local-stack/src/stack.ts': module,
      },
    ],
  ])('refuses %s', async (_, rule, files) => {
    expect(await cruise(files as Record<string, string>)).toContain(`error ${rule}`)
  })
})
