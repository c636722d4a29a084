import { extensionPoint } from '../../service/house.ts';
import type { ConsoleSection } from './console.ts';

/** `path` continues `/operator`. */
export const OPERATOR_SECTIONS = extensionPoint<ConsoleSection>('sections of the operators’ console');

/** `path` continues the address of an app. */
export const APP_SECTIONS = extensionPoint<ConsoleSection>('sections of an app in the developers’ console');
