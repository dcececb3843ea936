import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './conversations.module.css';

const PICTURE = /\.(png|jpe?g|gif|webp)$/i;

/** A file created by a tool: shown if it is an image, else offered for download. */
export function FilePart({ id, name }: { id: string; name: string }) {
  const isPicture = PICTURE.test(name);
  const path = `/v1/files/${encodeURIComponent(id)}/content`;
  const read = async () => (await api.raw('GET', path, undefined)).blob();
  const picture = useQuery({
    queryKey: ['files', 'content', id],
    queryFn: read,
    enabled: isPicture,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const url = useObjectUrl(picture.data);
  const toast = useToast();
  const save = async () => {
    try {
      const address = URL.createObjectURL(picture.data ?? (await read()));
      const link = document.createElement('a');
      link.href = address;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    } catch (error) {
      toast.error(error);
    }
  };
  return (
    <div className="stack-tight">
      {url && <img src={url} alt={name} className={styles.messageImage} />}
      <div>
        <Button small icon="download" onClick={() => void save()}>
          {name}
        </Button>
      </div>
    </div>
  );
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
