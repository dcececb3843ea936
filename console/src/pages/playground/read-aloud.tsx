import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';
import { speakingModels } from './queries.ts';

const CHARACTERS_MAX = 4000;

/** Speaks an answer; not shown where no model speaks. */
export function ReadAloud({ text }: { text: string }) {
  const [model] = useQuery(speakingModels).data ?? [];
  const [state, setState] = useState<'idle' | 'loading' | 'playing'>('idle');
  const sound = useRef<HTMLAudioElement>(undefined);
  const toast = useToast();
  useEffect(() => () => sound.current?.pause(), []);
  if (model === undefined) return null;
  const play = async () => {
    setState('loading');
    try {
      const body = { input: text.slice(0, CHARACTERS_MAX), model, response_format: 'mp3' };
      const { audio_data } = await api.post<{ audio_data: string }>('/v1/audio/speech', body);
      const bytes = Uint8Array.from(atob(audio_data), (letter) => letter.charCodeAt(0));
      const url = URL.createObjectURL(new Blob([bytes], { type: 'audio/mpeg' }));
      const audio = new Audio(url);
      sound.current = audio;
      audio.onended = () => {
        URL.revokeObjectURL(url);
        setState('idle');
      };
      await audio.play();
      setState('playing');
    } catch (error) {
      setState('idle');
      toast.error(error);
    }
  };
  const stop = () => {
    sound.current?.pause();
    setState('idle');
  };
  return state === 'playing' ? (
    <Button small look="quiet" icon="stop" onClick={stop}>
      Stop reading
    </Button>
  ) : (
    <Button small look="quiet" icon="sound" busy={state === 'loading'} onClick={() => void play()}>
      Read aloud
    </Button>
  );
}
